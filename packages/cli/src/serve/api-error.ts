import { ModelError } from "@palimpsest/model";

/** What a request can fail with. Closed: clients branch on the code, which is OpenAI's own word where OpenAI has one. */
const codes = {
  invalid_value: { status: 400, type: "invalid_request_error" },
  unknown_parameter: { status: 400, type: "invalid_request_error" },
  unsupported_value: { status: 400, type: "invalid_request_error" },
  invalid_json: { status: 400, type: "invalid_request_error" },
  context_length_exceeded: { status: 400, type: "invalid_request_error" },
  invalid_api_key: { status: 401, type: "authentication_error" },
  host_not_allowed: { status: 403, type: "permission_error" },
  model_not_found: { status: 404, type: "invalid_request_error" },
  unknown_url: { status: 404, type: "invalid_request_error" },
  method_not_allowed: { status: 405, type: "invalid_request_error" },
  request_too_large: { status: 413, type: "invalid_request_error" },
  unsupported_media_type: { status: 415, type: "invalid_request_error" },
  queue_full: { status: 429, type: "rate_limit_error" },
  model_failed: { status: 500, type: "server_error" },
  stopping: { status: 503, type: "server_error" },
  deadline_exceeded: { status: 504, type: "server_error" },
} as const;

export type ApiErrorCode = keyof typeof codes;

/** Only these may succeed when the same request is sent again: clients of OpenAI retry every 5xx unless they are told. */
const retryable: ReadonlySet<ApiErrorCode> = new Set(["queue_full", "stopping"]);

/** A refusal or a failure as OpenAI's clients read it. The message names the field, the value and the fix. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  /** The field of the request, as `messages[0].role`. */
  readonly param: string | null;

  constructor(code: ApiErrorCode, message: string, options: { param?: string; cause?: unknown } = {}) {
    super(message, options);
    this.name = "ApiError";
    this.code = code;
    this.param = options.param ?? null;
  }

  get status(): number {
    return codes[this.code].status;
  }

  get headers(): Readonly<Record<string, string>> {
    const again = retryable.has(this.code);
    return {
      ...(again ? { "retry-after": "1" } : {}),
      ...(this.status >= 500 || again ? { "x-should-retry": String(again) } : {}),
      ...(this.code === "invalid_api_key" ? { "www-authenticate": "Bearer" } : {}),
    };
  }

  toJSON(): object {
    const { message, param, code } = this;
    return { error: { message, type: codes[code].type, param, code } };
  }

  /** What a client is told of any failure: details of this process's own faults stay in its log. */
  static from(reason: unknown): ApiError {
    if (reason instanceof ApiError) return reason;
    if (reason instanceof ModelError) {
      const told = reason.message.replace(/^\[[A-Z_]+\] /, "");
      if (reason.code === "REQUEST_INVALID" || reason.code === "TOKENIZER_INVALID")
        return new ApiError("invalid_value", told, { cause: reason });
      if (reason.code === "TEMPLATE_REFUSED" || reason.code === "TEMPLATE_MISSING")
        return new ApiError("invalid_value", told, { param: "messages", cause: reason });
      if (reason.code === "QUEUE_FULL") return new ApiError("queue_full", told, { cause: reason });
      if (reason.code === "CLOSED")
        return new ApiError("stopping", "the server stops; ask another, or again later", { cause: reason });
    }
    const message = "the model failed on this request; the server's log says why";
    return new ApiError("model_failed", message, { cause: reason });
  }
}
