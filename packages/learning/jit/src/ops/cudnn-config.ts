/** The mask of a call; the PADDING ones use lengths. */
export type FlashMask = "NO_MASK" | "CAUSAL" | "PADDING" | "PADDING_CAUSAL";

/** The parameters of one attention call for XLA. */
export interface FlashForm {
  readonly batch: number;
  readonly heads: number;
  readonly queries: number;
  readonly keys: number;
  readonly mask: FlashMask;
  readonly scale: number;
  /** Maximum number of segments per sequence; 1: not packed. */
  readonly segments: number;
}

/** Axes of a batched product: contraction and batch axes of both sides. Operands are [B, T, heads, d], scores [B, heads, Tq, Tk]. */
function product(
  left: number,
  right: number,
  leftBatch: readonly [number, number],
  rightBatch: readonly [number, number],
) {
  return {
    lhs_contracting_dimensions: [String(left)],
    rhs_contracting_dimensions: [String(right)],
    lhs_batch_dimensions: leftBatch.map(String),
    rhs_batch_dimensions: rightBatch.map(String),
  };
}

const FORWARD_PRODUCTS = {
  bmm1_dot_dimension_numbers: product(3, 3, [0, 2], [0, 2]),
  bmm2_dot_dimension_numbers: product(3, 1, [0, 1], [0, 2]),
};

const BACKWARD_PRODUCTS = {
  bmm1_grad_gemm1_dot_dimension_numbers: product(2, 1, [0, 1], [0, 2]),
  bmm1_grad_gemm2_dot_dimension_numbers: product(3, 1, [0, 1], [0, 2]),
  bmm2_grad_gemm1_dot_dimension_numbers: product(2, 1, [0, 1], [0, 2]),
  bmm2_grad_gemm2_dot_dimension_numbers: product(3, 3, [0, 2], [0, 2]),
};

/**
 * The `backend_config` of XLA's cuDNN attention calls, as JSON of xla/service/gpu/backend_configs.proto, where 64-bit
 * numbers are strings.
 */
export function backendConfig(form: FlashForm, isBackward: boolean): string {
  const { batch, heads, queries, keys, mask, scale, segments } = form;
  return JSON.stringify({
    operation_queue_id: "0",
    wait_on_operation_queues: [],
    cudnn_fmha_backend_config: {
      algorithm: {
        algo_id: "0",
        math_type: "TENSOR_OP_MATH",
        tuning_knobs: { "17": "1", "24": "0" },
        is_cudnn_frontend: true,
        workspace_size: "0",
      },
      fmha_scale: scale,
      dropout_rate: 0,
      seed: "42",
      is_flash_attention: true,
      mask_type: mask,
      sliding_window_length: 0,
      ...(segments > 1 ? { max_seg_per_batch: segments } : {}),
      intermediate_tensor_shape: {
        element_type: "BF16",
        dimensions: [batch, heads, queries, keys].map(String),
        tuple_shapes: [],
        layout: {
          dim_level_types: [],
          dim_unique: [],
          dim_ordered: [],
          minor_to_major: ["3", "2", "1", "0"],
          tiles: [],
          element_size_in_bits: "0",
          memory_space: "0",
          index_primitive_type: "PRIMITIVE_TYPE_INVALID",
          pointer_primitive_type: "PRIMITIVE_TYPE_INVALID",
          dynamic_shape_metadata_prefix_bytes: "0",
        },
        is_dynamic_dimension: [false, false, false, false],
      },
      ...(isBackward ? BACKWARD_PRODUCTS : FORWARD_PRODUCTS),
    },
  });
}
