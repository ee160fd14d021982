// KimberlyError: what a call of `Memory` rejects with.
import { connect } from "node:net";
import { type CallOptions, type ClientMiddlewareCall, Status } from "nice-grpc";
import { ClientError } from "nice-grpc-common";
import { RichClientError, type ErrorDetails } from "nice-grpc-error-details";

/** A failed call. `reason` is one of docs/errors.md, or empty if no server answered; `code` is the gRPC status; `details` says what to do. */
export class KimberlyError extends RichClientError {
  override readonly name = "KimberlyError";
  readonly reason: string;

  constructor(path: string, code: Status, details: string, extra: ErrorDetails[] = []) {
    super(path, code, details, extra);
    const info = extra.find((one) => one.$type === "google.rpc.ErrorInfo");
    this.reason = info?.$type === "google.rpc.ErrorInfo" ? info.reason : "";
  }
}

/** Rejects calls with KimberlyError, and at once if no server listens on this machine: retries would only delay the message. */
export function errors(target: string, isHere: boolean) {
  const absent = (problem: string) =>
    `Kimberly does not answer at ${target} (${problem}); start it there with \`kimberly up\`, or name its address`;
  let isReached = !isHere;
  return async function* <Request, Response>(call: ClientMiddlewareCall<Request, Response>, options: CallOptions) {
    const { path } = call.method;
    if (!isReached) {
      const problem = await unreachable(target);
      if (problem) throw new KimberlyError(path, Status.UNAVAILABLE, absent(problem));
      isReached = true;
    }
    try {
      return yield* call.next(call.request, options);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      const failed = new KimberlyError(path, error.code, error.details, error instanceof RichClientError ? error.extra : []);
      const isAbsent = failed.code === Status.UNAVAILABLE && !failed.reason;
      throw isAbsent ? new KimberlyError(path, failed.code, absent(failed.details), failed.extra) : failed;
    }
  };
}

/** Returns why no connection to a server is possible, or nothing. */
function unreachable(target: string): Promise<string | undefined> {
  const { hostname, port } = new URL(`tcp://${target}`);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port), timeout: 5_000 });
  return new Promise((resolve) => {
    const end = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once("connect", () => end());
    socket.once("timeout", () => end("no answer within 5 s"));
    socket.once("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
