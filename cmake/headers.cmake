# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The include tree of the build: links to the source folders beside the generated headers, so that
# <tandem/core/view.hpp> means the same in the source, build and install trees.

file(MAKE_DIRECTORY "${TANDEM_INCLUDE_DIR}/tandem")
foreach(folder core backends algorithms distributed)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${TANDEM_INCLUDE_DIR}/tandem/${folder}"
       SYMBOLIC)
endforeach()
foreach(header tandem.hpp config.hpp distributed.hpp dlpack.hpp print.hpp require_in_kernel.hpp
               version.hpp)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/include/tandem/${header}"
       "${TANDEM_INCLUDE_DIR}/tandem/${header}" SYMBOLIC)
endforeach()

# Sets `variable` to one #include line for each path, relative to the repository, in `ARGN`.
function(tandem_include_lines variable)
  list(TRANSFORM ARGN REPLACE "(.+)" "#include <tandem/\\1>")
  list(JOIN ARGN "\n" lines)
  set(${variable} "${lines}" PARENT_SCOPE)
endfunction()

# Backends that are not in this build and say what stands for them then, in absent.hpp.
file(GLOB TANDEM_ABSENT_BACKENDS RELATIVE "${PROJECT_SOURCE_DIR}/backends"
     "${PROJECT_SOURCE_DIR}/backends/*/absent.hpp")
list(TRANSFORM TANDEM_ABSENT_BACKENDS REPLACE "/absent.hpp" "")
list(REMOVE_ITEM TANDEM_ABSENT_BACKENDS ${TANDEM_BACKENDS})

# Sets `variable` to the lines that include what stands for `name` if its headers are left out.
function(tandem_absent_include variable name)
  set(lines)
  if(EXISTS "${PROJECT_SOURCE_DIR}/backends/${name}/absent.hpp")
    tandem_include_lines(include "backends/${name}/absent.hpp")
    set(lines "#else\n${include}\n")
  endif()
  set(${variable} "${lines}" PARENT_SCOPE)
endfunction()

# Writes default_space.hpp: the spaces of the build, and the one that calls without a space use.
function(tandem_write_default_space)
  set(TANDEM_BACKEND_INCLUDES)
  set(TANDEM_ANY_SPACE)
  foreach(name IN LISTS TANDEM_BACKENDS)
    # An installation may lack what a backend depends on; its headers then say nothing of it.
    string(TOUPPER ${name} upper_name)
    tandem_include_lines(include "backends/${name}/${name}.hpp")
    tandem_absent_include(absent ${name})
    string(APPEND TANDEM_BACKEND_INCLUDES
           "#ifndef TANDEM_WITHOUT_${upper_name}\n${include}\n${absent}#endif\n")
    string(APPEND TANDEM_ANY_SPACE
           "#if !defined(TANDEM_WITHOUT_${upper_name}) && "
           "!defined(TANDEM_ANY_SPACE_WITHOUT_${upper_name})\n    , ${name}\n#endif\n")
  endforeach()
  foreach(name IN LISTS TANDEM_ABSENT_BACKENDS)
    tandem_include_lines(include "backends/${name}/absent.hpp")
    string(APPEND TANDEM_BACKEND_INCLUDES "${include}\n")
  endforeach()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/default_space.hpp.in"
                 "${TANDEM_INCLUDE_DIR}/tandem/default_space.hpp" @ONLY)
endfunction()

set(annotations)
foreach(backend IN LISTS TANDEM_BACKENDS)
  if(EXISTS "${PROJECT_SOURCE_DIR}/backends/${backend}/annotations.hpp")
    list(APPEND annotations "backends/${backend}/annotations.hpp")
  endif()
endforeach()
list(APPEND annotations "core/annotations.hpp")
tandem_include_lines(TANDEM_ANNOTATION_INCLUDES ${annotations})
foreach(setting CHECKED AGREEMENT)
  if(TANDEM_${setting})
    set(TANDEM_${setting}_VALUE 1)
  else()
    set(TANDEM_${setting}_VALUE 0)
  endif()
endforeach()
configure_file("${PROJECT_SOURCE_DIR}/cmake/settings.hpp.in"
               "${TANDEM_INCLUDE_DIR}/tandem/settings.hpp" @ONLY)
tandem_write_default_space()
