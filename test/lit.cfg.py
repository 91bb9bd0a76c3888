"""lit configuration: `lit build/test`, or `ninja -C build check-lstm`."""

import os
import shutil

import lit.formats
from lit.llvm import llvm_config

config.name = "LSTM"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.lstm_obj_root, "test")
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"

llvm_config.use_default_substitutions()
tool_dirs = [os.path.join(config.lstm_obj_root, "bin"), config.llvm_tools_dir]
for directory in reversed(tool_dirs):
    llvm_config.with_environment("PATH", directory, append_path=True)

python = os.path.join(config.lstm_src_root, ".venv", "bin", "python")
# Before lit's own, which has a %python, too.
config.substitutions[:0] = [
    ("%python", python),
    ("%shlibext", config.llvm_shlib_ext),
    ("%lstm_src", config.lstm_src_root),
    ("%lstm_obj", config.lstm_obj_root),
    ("%lstm_lib_dir", os.path.join(config.lstm_obj_root, "lib")),
    ("%mlir_lib_dir", config.mlir_lib_dir),
    ("%mlir_dir", config.mlir_dir),
    ("%cmake", config.cmake),
    ("%cxx_compiler", config.cxx_compiler),
    ("%c_compiler", config.c_compiler),
]
llvm_config.add_tool_substitutions(
    ["lstm-opt", "lstm-run", "lstm-compile", "mlir-opt", "split-file", "not"], tool_dirs
)
# As lib/Pipelines/CUDAToolkit.cpp finds the toolkit.
def find_cuda_toolkit():
    for variable in ("CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"):
        if os.path.isdir(os.environ.get(variable, "")):
            return os.environ[variable]
    ptxas = shutil.which("ptxas")
    if ptxas:
        folder = os.path.dirname(os.path.dirname(os.path.realpath(ptxas)))
        if os.path.isdir(os.path.join(folder, "nvvm", "libdevice")):
            return folder
    for folder in ("/usr/local/cuda", "/usr/lib/cuda"):
        if os.path.isdir(folder):
            return folder
    return ""


llvm_config.with_system_environment(["CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"])
toolkit = find_cuda_toolkit()
ptxas = os.path.join(toolkit, "bin", "ptxas")
if toolkit and os.access(ptxas, os.X_OK):
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
if toolkit and os.path.isfile(os.path.join(toolkit, "nvvm", "libdevice", "libdevice.10.bc")):
    config.available_features.add("libdevice")

if config.sanitizer:
    config.available_features.add("sanitizer")
    # LLVM keeps its global state until the process ends.
    # LLVM's allocators are inlined here and compiled without sanitizers in the
    # packaged libraries: a slab that the one poisons the other does not unpoison.
    config.environment["ASAN_OPTIONS"] = "detect_leaks=0:allow_user_poisoning=0"
