  if (needs_maps(*tuned)) {
    msda::TensorMap maps[msda::kLevelLimit] = {};
    const msda::Arguments arguments =
        arguments_of(*tuned, *problem, value, nullptr, nullptr, nullptr, made->workspace);
    // A layout or encoding of the kernel's own is what it copies boxes from.
    const bool copied = tuned->plan.has_prepass[msda::kLayout] != 0;
    const void* stored = copied ? arguments.workspace[msda::kLayout] : value;
    const int failed = encode_maps(tuned->plan, stored, problem->batch, maps);
    error = failed != 0 ? cudaSuccess : cudaMalloc(&made->maps, sizeof maps);
    if (failed == 0 && error == cudaSuccess)
      error = cudaMemcpy(made->maps, maps, sizeof maps, cudaMemcpyHostToDevice);
    if (failed != 0 || error != cudaSuccess) {
      @NAME@_release(made.release());
      return failed != 0 ? failed : error;
    }
  }
