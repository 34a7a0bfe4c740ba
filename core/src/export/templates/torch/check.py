"""Checks the extension on this machine, and times it: python3 check.py [--json FILE] [--quick] [CHECK...]

The operator and its gradients against grid_sample in float64, with locations and weights and from offsets and logits on;
modules of models with it; the sizes of other implementations' tests; PyTorch's own
checks of operators; compilers, CUDA graphs, autocast, a second GPU, ONNX; and models of Hugging Face transformers with
random weights, whose outputs and gradients are compared and whose times are given with intervals; losses of a training.
What this machine lacks is skipped."""

import argparse
import json
import pathlib
import sys
import time
import traceback

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from checks import (CUDA, Skip, compilers, fused, gradients, layouts, models, modules, norms,  # noqa: E402
                    operator, peers, second, training)

QUICK = {"operator": operator.CHECKS, "gradients": gradients.CHECKS, "compilers": compilers.CHECKS,
         "peers": peers.CHECKS, "fused": fused.CHECKS, "layouts": layouts.CHECKS,
         "modules": modules.CHECKS, "norms": norms.CHECKS, "second": second.CHECKS}  # fmt: skip
ALL = {**QUICK, "models": models.CHECKS, "training": training.CHECKS}


def run(name, function):
    """What came of a check."""
    began = time.monotonic()
    try:
        status, said = "ok", function()
    except Skip as reason:
        status, said = "skipped", str(reason)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the result
        status, said = "failed", f"{type(error).__name__}: {error}"
        traceback.print_exc()
    seconds = round(time.monotonic() - began, 1)
    print(f"{status:8} {name} ({seconds} s): {said if said is not None else ''}", flush=True)
    return {"check": name, "status": status, "seconds": seconds, "said": said}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help="these alone, or a group's (default: all)")
    parser.add_argument("--json", type=pathlib.Path, help="where results are written")
    parser.add_argument("--list", action="store_true", help="print the names of the checks")
    parser.add_argument("--quick", action="store_true", help="no models")
    arguments = parser.parse_args()
    functions = {f"{group}.{function.__name__}": function for group, checks in (QUICK if arguments.quick else ALL).items()
                 for function in checks}
    chosen = [name for name in functions
              if not arguments.checks or name in arguments.checks or name.split(".")[0] in arguments.checks]
    known = set(functions) | set(ALL)
    unknown = set(arguments.checks) - known
    if unknown or arguments.list:
        print("\n".join(functions))
        sys.exit(f"check.py: no check {', '.join(sorted(unknown))}" if unknown else 0)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    results = []
    for name in chosen:
        results.append(run(name, functions[name]))
        if arguments.json:  # after each, since one may end the process
            arguments.json.write_text(json.dumps(
                {"torch": torch.__version__, "gpu": torch.cuda.get_device_name() if CUDA else "none",
                 "checks": results}, indent=2) + "\n")
    sys.exit(any(result["status"] == "failed" for result in results))


if __name__ == "__main__":
    main()
