# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The include tree of the build: links to the source folders beside the generated headers, so that
# <tandem/core/view.hpp> means the same in the source, build and install trees.

file(MAKE_DIRECTORY "${TANDEM_INCLUDE_DIR}/tandem")
foreach(folder core backends algorithms)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${TANDEM_INCLUDE_DIR}/tandem/${folder}"
       SYMBOLIC)
endforeach()
foreach(header tandem.hpp version.hpp)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/include/tandem/${header}"
       "${TANDEM_INCLUDE_DIR}/tandem/${header}" SYMBOLIC)
endforeach()

# Sets `variable` to one #include line for each path, relative to the repository, in `ARGN`.
function(tandem_include_lines variable)
  list(TRANSFORM ARGN REPLACE "(.+)" "#include <tandem/\\1>")
  list(JOIN ARGN "\n" lines)
  set(${variable} "${lines}" PARENT_SCOPE)
endfunction()

# Sets `variable` to the lines that hold a backend to its contract. One whose loops need a compiler
# of their own says how to recognise it, in tandem_NAME_loops_if; other compilers check the rest.
function(tandem_backend_check variable name)
  set(whole "static_assert(backend<${name}>);\n")
  set(part "static_assert(execution_space<${name}> && moves_memory<${name}>);\n")
  if(DEFINED tandem_${name}_loops_if)
    set(whole "#if ${tandem_${name}_loops_if}\n${whole}#else\n${part}#endif\n")
  endif()
  set(${variable} "${whole}" PARENT_SCOPE)
endfunction()

# Writes a default_space.hpp under `directory` that says which backend calls without a space use.
# Targets that need another default than the build's put such a directory first on their path.
function(tandem_write_default_space directory backend)
  set(TANDEM_BACKEND_INCLUDES)
  set(TANDEM_BACKEND_CHECKS)
  foreach(name IN LISTS TANDEM_BACKENDS)
    # An installation may lack what a backend depends on; its headers then say nothing of it.
    string(TOUPPER ${name} upper_name)
    tandem_include_lines(include "backends/${name}/${name}.hpp")
    string(APPEND TANDEM_BACKEND_INCLUDES
           "#ifndef TANDEM_WITHOUT_${upper_name}\n${include}\n#endif\n")
    tandem_backend_check(check ${name})
    string(APPEND TANDEM_BACKEND_CHECKS
           "#ifndef TANDEM_WITHOUT_${upper_name}\n${check}#endif\n")
  endforeach()
  set(TANDEM_DEFAULT_SPACE "${backend}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/default_space.hpp.in"
                 "${directory}/tandem/default_space.hpp" @ONLY)
endfunction()

set(annotations)
foreach(backend IN LISTS TANDEM_BACKENDS)
  if(EXISTS "${PROJECT_SOURCE_DIR}/backends/${backend}/annotations.hpp")
    list(APPEND annotations "backends/${backend}/annotations.hpp")
  endif()
endforeach()
list(APPEND annotations "core/annotations.hpp")
tandem_include_lines(TANDEM_ANNOTATION_INCLUDES ${annotations})
if(TANDEM_CHECKED)
  set(TANDEM_CHECKED_VALUE 1)
else()
  set(TANDEM_CHECKED_VALUE 0)
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/config.hpp.in"
               "${TANDEM_INCLUDE_DIR}/tandem/config.hpp" @ONLY)
tandem_write_default_space("${TANDEM_INCLUDE_DIR}" "${TANDEM_BACKEND}")
