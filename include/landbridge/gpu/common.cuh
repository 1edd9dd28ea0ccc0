// The kernels of every run, in one program: start, flatten, choose what to skip, number.
#pragma once
#include "flatten.cuh"
#include "number.cuh"
#include "skip.cuh"
#include "start.cuh"
