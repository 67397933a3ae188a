// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The macros with short names that headers of other libraries define, and then tandem. Nothing here
// runs: tests/checks/check_headers.py compiles the file.

// <X11/X.h>, <X11/Xlib.h>
#define Above 0
#define Always 2
#define Below 1
#define Bool int
#define Complex 0
#define ControlMask (1 << 2)
#define Convex 2
#define CurrentTime 0L
#define CursorShape 0
#define DestroyAll 0
#define DirectColor 5
#define Expose 12
#define False 0
#define FontChange 255
#define GrayScale 1
#define KeyPress 2
#define LockMask (1 << 1)
#define None 0L
#define Nonconvex 1
#define NotUseful 0
#define Opposite 4
#define Status int
#define Success 0
#define True 1
#define Unsorted 0
#define WhenMapped 1

// <windows.h>
#define ABSOLUTE 1
#define CONST const
#define DELETE (0x00010000L)
#define DIFFERENCE 11
#define ERROR 0
#define FALSE 0
#define FAR
#define IGNORE 0
#define IN
#define INFINITE 0xffffffff
#define NEAR
#define NO_ERROR 0L
#define OPAQUE 2
#define OPTIONAL
#define OUT
#define RELATIVE 2
#define STRICT 1
#define THIS_ this,
#define TRANSPARENT 1
#define TRUE 1
#define VOID void
#define far
#define hyper long long
#define interface struct
#define near
#define pascal
#define small char
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define min(a, b) (((a) < (b)) ? (a) : (b))

// <QObject>
#define emit
#define foreach for
#define forever for (;;)
#define signals public
#define slots

// <complex.h>, <math.h> of System V, <curses.h>, <sys/param.h>, <sys/sysmacros.h>, <termios.h>
#define DOMAIN 1
#define ECHO 0000010
#define ERR (-1)
#define I (__extension__ 1.0iF)
#define MAX(a, b) (((a) > (b)) ? (a) : (b))
#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#define OK 0
#define OVERFLOW 3
#define PLOSS 6
#define SING 2
#define TLOSS 5
#define UNDERFLOW 4
#define major(device) ((device) >> 8)
#define minor(device) ((device)&255)

#include <tandem/tandem.hpp>

#include <tandem/distributed.hpp>
#include <tandem/dlpack.hpp>
#include <tandem/print.hpp>
#include <tandem/require_in_kernel.hpp>

namespace {

/// Templates with parameters are parsed again when they are instantiated.
[[maybe_unused]] float use(tandem::array<float, 2, tandem::serial>& x, std::ostream& out) {
  const tandem::serial space;
  tandem::fill(space, x, 1.0f);
  out << x;
  const tandem::any_space any("serial");
  return any.visit([&](const auto&) { return tandem::parallel_reduce(space, x); });
}

}  // namespace
