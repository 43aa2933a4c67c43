# Debian's cross compiler (g++-aarch64-linux-gnu). ROOT holds Python's headers for that architecture.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE NEVER)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ROOT)
# Debian's pyconfig.h includes one of each architecture; the compiler's own headers come first.
set(CMAKE_CXX_FLAGS_INIT "-idirafter ${ROOT}/usr/include")
