"""Checks the extension on this machine, and times it: python3 check.py [--json FILE] [--quick] [CHECK...]

The operator and its gradients against grid_sample in float64, with locations and weights and from offsets and logits on;
modules of models with it; the sizes of other implementations' tests; PyTorch's own
checks of operators; compilers, CUDA graphs, autocast, a second GPU, ONNX; and models of Hugging Face transformers with
random weights, whose outputs and gradients are compared and whose times are given with intervals; losses of a training.
What this machine lacks is skipped."""

import argparse
import datetime
import importlib.metadata
import json
import pathlib
import subprocess
import sys
import time
import traceback

try:
    import torch
except ImportError as error:
    sys.exit(f"check.py: needs PyTorch 2.1 or newer, which {sys.executable} does not have: {error}")

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from checks import (CUDA, EXPORT, Skip, compilers, fused, gradients, layouts, models, modules, norms,  # noqa: E402
                    operator, peers, second, times, training)

QUICK = {"operator": operator.CHECKS, "gradients": gradients.CHECKS, "compilers": compilers.CHECKS,
         "peers": peers.CHECKS, "fused": fused.CHECKS, "layouts": layouts.CHECKS,
         "modules": modules.CHECKS, "norms": norms.CHECKS, "second": second.CHECKS, "times": times.CHECKS}  # fmt: skip
ALL = {**QUICK, "models": models.CHECKS, "training": training.CHECKS}


def driver():
    """NVIDIA's driver, of nvidia-smi."""
    try:
        said = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True,
                              text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return said.split("\n")[0].strip()


def header(words):
    """What was measured, on what, and by what."""
    try:
        transformers = importlib.metadata.version("transformers")
    except importlib.metadata.PackageNotFoundError:
        transformers = "none"
    return {"schema": 1, "gpu": torch.cuda.get_device_name() if CUDA else "none", "driver": driver() if CUDA else "none",
            "cuda": torch.version.cuda or "none", "torch": torch.__version__, "transformers": transformers,
            "commit": EXPORT["commit"], "export": EXPORT["command"], "asked": " ".join(words),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")}


def run(name, function):
    """What came of a check; numbers that it has measured before it fails are kept."""
    began, result = time.monotonic(), {"check": name, "status": "ok"}
    try:
        result["said"] = function()
    except Skip as reason:
        result.update(status="skipped", why=str(reason), said=getattr(reason, "said", None))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the result
        result.update(status="failed", why=f"{type(error).__name__}: {error}", said=getattr(error, "said", None))
        traceback.print_exc()
    result["seconds"] = round(time.monotonic() - began, 1)
    told = "; ".join(str(result[key]) for key in ("why", "said") if result.get(key) is not None)
    print(f"{result['status']:8} {name} ({result['seconds']} s): {told[:2000]}", flush=True)
    return result


def chosen(arguments):
    """Names of the checks that were asked for, with their functions."""
    functions = {f"{group}.{function.__name__}": function for group, checks in ALL.items() for function in checks}
    named = {word: [name for name in functions if name.split(".")[0] == word or "." in word and name.startswith(word)]
             for word in arguments.checks}
    unknown = [word for word, names in named.items() if not names]
    if unknown:
        print("\n".join(functions))
        sys.exit(f"check.py: no check {', '.join(unknown)}")
    names = set(sum(named.values(), [])) | {name for name in functions if arguments.quick and name.split(".")[0] in QUICK}
    return {name: function for name, function in functions.items() if name in names or not names}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("checks", nargs="*", metavar="CHECK",
                        help="these alone, a group's, or those whose names begin so (default: all)")
    parser.add_argument("--json", type=pathlib.Path, help="where results are written")
    parser.add_argument("--list", action="store_true", help="print the names of the checks")
    parser.add_argument("--quick", action="store_true", help="no models and trainings but those that are named")
    arguments = parser.parse_args()
    checks = chosen(arguments)
    if arguments.list:
        print("\n".join(checks))
        return
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    results, about = [], header(arguments.checks + ["--quick"] * arguments.quick)
    for name, function in checks.items():
        results.append(run(name, function))
        if arguments.json:  # after each, since one may end the process
            arguments.json.write_text(json.dumps({**about, "checks": results}, indent=1) + "\n")
    sys.exit(any(result["status"] == "failed" for result in results))


if __name__ == "__main__":
    main()
