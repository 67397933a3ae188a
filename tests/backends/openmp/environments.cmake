# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What users set about threads before a program starts: the cases that hold whatever it is run once
# in each of these environments, and once confined to one processor. Sanitizers run three of them.

string(CONCAT tandem_any_environment "--test-case=openmp environment*,openmp nested*,"
              "openmp processors*,openmp small*,openmp side by side*")
set(tandem_settings OMP_NUM_THREADS=1 OMP_THREAD_LIMIT=2 TANDEM_PLACEMENT=on)
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  list(APPEND tandem_settings
       OMP_NUM_THREADS=3 OMP_NUM_THREADS=3,2 OMP_THREAD_LIMIT=1 OMP_DYNAMIC=true
       OMP_MAX_ACTIVE_LEVELS=3 OMP_CANCELLATION=true OMP_WAIT_POLICY=passive
       OMP_WAIT_POLICY=active OMP_PROC_BIND=true OMP_PLACES=threads)
endif()
foreach(setting IN LISTS tandem_settings)
  add_test(NAME tandem_tests_host.${setting} COMMAND tandem_tests_host "${tandem_any_environment}")
  set_tests_properties(tandem_tests_host.${setting} PROPERTIES LABELS doctest TIMEOUT 900
                                                               ENVIRONMENT "${setting}")
endforeach()

# Threads that may look for work to steal; tests/run makes them wait passively otherwise.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  add_test(NAME tandem_tests_host.stealing COMMAND tandem_tests_host
                                                   "--test-case=openmp work stealing*")
  set_tests_properties(tandem_tests_host.stealing PROPERTIES LABELS doctest TIMEOUT 300
                                                             ENVIRONMENT OMP_WAIT_POLICY=active)
endif()

# Values that nothing knows are reported.
function(tandem_add_unknown_setting setting words cases)
  add_test(NAME tandem_tests_host.${setting} COMMAND tandem_tests_host "--test-case=${cases}")
  set_tests_properties(
    tandem_tests_host.${setting}
    PROPERTIES LABELS doctest TIMEOUT 300 ENVIRONMENT "${setting}" PASS_REGULAR_EXPRESSION
               "tandem: ${setting} is ignored: there are ${words}\n")
endfunction()
tandem_add_unknown_setting(TANDEM_ISA=garbage "baseline, avx2, avx512"
                           "openmp instruction sets: no more than*")
tandem_add_unknown_setting(TANDEM_PLACEMENT=x "0, off, 1, on" "openmp regions: a first region*")

# A process that has started no thread before it forks.
add_test(NAME tandem_tests_host.fork_first
         COMMAND tandem_tests_host "--test-case=openmp fork: the child of a process with one*")
set_tests_properties(tandem_tests_host.fork_first PROPERTIES LABELS doctest TIMEOUT 300)

# The kernels that other processors get: TANDEM_ISA caps the instruction sets that are used. Not
# under sanitizers, since vectors without their instructions take several minutes:
# `TANDEM_ISA=baseline ctest ..` does it by hand.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  string(CONCAT tandem_kernel_cases "--test-case=openmp*,golden*,matmul*random products*,"
                "random: golden*,random: words*,random: a kernel*,random: a value*,math:*,"
                "segmented*,reduce_by_key*,multiply*,scatter_add*,order_free_sum*")
  # Threads and memory are the same for every instruction set.
  string(CONCAT tandem_thread_cases "--test-case-exclude=openmp regions*,openmp loops*,"
                "openmp work*,openmp environment*,openmp stream*,openmp nested*,openmp side*,"
                "openmp memory*,openmp exceptions*,openmp threads*,openmp small*,"
                "openmp processors*,openmp mode*,openmp fork*,openmp stacks*")
  set(sets baseline)
  if(TANDEM_TEST_TIER STREQUAL "wide")
    list(APPEND sets avx2)
  endif()
  foreach(isa IN LISTS sets)
    add_test(NAME tandem_tests_host.TANDEM_ISA=${isa}
             COMMAND tandem_tests_host "${tandem_kernel_cases}" "${tandem_thread_cases}")
    set_tests_properties(
      tandem_tests_host.TANDEM_ISA=${isa}
      PROPERTIES LABELS doctest TIMEOUT 900 ENVIRONMENT "TANDEM_ISA=${isa};TANDEM_TEST_FEW=10")
  endforeach()
endif()

string(CONCAT tandem_confine "import os, sys; "
              "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); "
              "os.execvp(sys.argv[1], sys.argv[1:])")
# Python by its path: as a target it would be run by the emulator, too.
add_test(NAME tandem_tests_host.one_processor
         COMMAND $<TARGET_FILE:Python3::Interpreter> -c "${tandem_confine}"
                 ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:tandem_tests_host>
                 "${tandem_any_environment}")
set_tests_properties(tandem_tests_host.one_processor PROPERTIES LABELS doctest TIMEOUT 900)

# In a separate process every operation is the first of its kind and allocates what is set up once.
# Small stacks, of the threads as well, hold the largest accumulators.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  add_test(NAME tandem_tests_host.out_of_memory COMMAND tandem_tests_host
                                                        "--test-case=out of memory*")
  set_tests_properties(tandem_tests_host.out_of_memory PROPERTIES LABELS doctest TIMEOUT 900)
endif()
add_test(NAME tandem_tests_host.small_stack
         COMMAND sh -c "ulimit -s 1024 && exec \"$@\"" sh ${CMAKE_CROSSCOMPILING_EMULATOR}
                 $<TARGET_FILE:tandem_tests_host> "--test-case=large accumulators*")
set_tests_properties(tandem_tests_host.small_stack PROPERTIES LABELS doctest TIMEOUT 900)
# Threads as musl makes them, and those of regions with little more than 64 KiB.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  add_test(NAME tandem_tests_host.stack_of_128_KiB
           COMMAND sh -c "ulimit -s 128 && exec \"$@\"" sh ${CMAKE_CROSSCOMPILING_EMULATOR}
                   $<TARGET_FILE:tandem_tests_host> "--test-case=openmp stacks*")
  set_tests_properties(tandem_tests_host.stack_of_128_KiB
                       PROPERTIES LABELS doctest TIMEOUT 900 ENVIRONMENT OMP_STACKSIZE=80k)
endif()
