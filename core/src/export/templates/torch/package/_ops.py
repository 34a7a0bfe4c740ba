"""Loads the library beside this file; its operators are torch.ops.@PACKAGE@."""

import pathlib

import torch

torch.ops.load_library(pathlib.Path(__file__).with_name("_C.so"))
ops = torch.ops.@PACKAGE@


def add_op_namespace_prefix(name):
    return f"@PACKAGE@::{name}"
