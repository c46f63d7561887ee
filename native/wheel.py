"""Put the native library, if it was built, into the wheel: `make wheel` builds both."""

import os
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LIBRARY = "softclust/kernels/_native.abi3.so"


class NativeLibrary(BuildHookInterface):
    """A wheel with the library serves one platform and every Python from 3.11 on."""

    def initialize(self, version, build_data):
        path = Path(self.root, "src", LIBRARY)
        if version == "standard" and path.exists() and os.environ.get("SOFTCLUST_NATIVE") != "0":
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"cp311-abi3-{platform}"
            build_data["force_include"][str(path)] = LIBRARY
