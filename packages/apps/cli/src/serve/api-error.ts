import { ModelError } from "@palimpsest/model";

/** The closed set of error codes. Clients branch on them, so they are OpenAI's own codes where OpenAI has one. */
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

/** Only these errors may succeed on a retry. OpenAI's clients retry every 5xx unless they are told not to. */
const retryable: ReadonlySet<ApiErrorCode> = new Set(["queue_full", "stopping"]);

/** An error in the format of OpenAI's API. The message names the field, the value and the fix. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  /** The field of the request, such as `messages[0].role`. */
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

  /** Converts any failure to an error for clients. Details of internal faults are only logged. */
  static from(reason: unknown): ApiError {
    if (reason instanceof ApiError) return reason;
    if (reason instanceof ModelError) {
      const told = reason.rawMessage;
      if (reason.code === "REQUEST_INVALID" || reason.code === "TOKENIZER_INVALID")
        return new ApiError("invalid_value", told, { cause: reason });
      if (reason.code === "TEMPLATE_REFUSED" || reason.code === "TEMPLATE_MISSING")
        return new ApiError("invalid_value", told, { param: "messages", cause: reason });
      if (reason.code === "QUEUE_FULL") return new ApiError("queue_full", told, { cause: reason });
      if (reason.code === "CLOSED")
        return new ApiError("stopping", "the server is stopping; use another one, or retry later", {
          cause: reason,
        });
    }
    const message = "the model failed on this request; the server's log says why";
    return new ApiError("model_failed", message, { cause: reason });
  }
}
