import {
  StreamError,
  type HostHttpStream,
  type HttpRequestHead,
  type HttpResponseHead,
  type OutgoingBytes,
  type Urgency,
} from '@openchambery/tunnel';
import { withTimeout } from '@openchambery/testkit';
import { ScriptedDownload, ScriptedUpload } from './scripted-body.ts';

/** What a test may decide about a request. */
export interface ScriptedRequestOptions extends Partial<HttpRequestHead> {
  /** Bytes that may wait for the test before the dispatcher is asked to stop. @default 262144 */
  readonly windowBytes?: number;
  /** Most bytes in the JSON of a response head. @default 65526 */
  readonly maxHeadBytes?: number;
}

/** An answer as it reached the Client. */
export interface ScriptedAnswer {
  readonly head: HttpResponseHead;
  readonly urgency: Urgency | undefined;
  readonly body: ScriptedDownload;
}

/** The Host's end of a request, with the Client's end in the hands of a test. */
export class ScriptedRequest implements HostHttpStream {
  readonly id = 1;
  readonly request: HttpRequestHead;
  readonly body: ScriptedUpload = new ScriptedUpload();
  readonly #download: ScriptedDownload;
  readonly #maxHeadBytes: number;
  readonly #controller = new AbortController();
  readonly #answered = Promise.withResolvers<ScriptedAnswer>();
  readonly #aborted = Promise.withResolvers<string>();

  constructor(options: ScriptedRequestOptions = {}) {
    const { method = 'GET', path = '/', query = '', headers = {} } = options;
    this.request = { method, path, query, headers };
    this.#download = new ScriptedDownload(options.windowBytes ?? 256 * 1024);
    this.#maxHeadBytes = options.maxHeadBytes ?? 65_526;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  respond(head: HttpResponseHead, urgency?: Urgency): OutgoingBytes | undefined {
    if (Buffer.byteLength(JSON.stringify(head)) > this.#maxHeadBytes) return undefined;
    this.#answered.resolve({ head, urgency, body: this.#download });
    return this.#download;
  }

  abort(reason: string): void {
    this.#break(new StreamError('ERR_TUNNEL_STREAM_CANCELLED', reason));
    this.#aborted.resolve(reason);
  }

  /** The Client gives up. */
  giveUp(): void {
    this.#break(new StreamError('ERR_TUNNEL_STREAM_ABORTED', 'nobody waits any more'));
  }

  /** The answer's head, with the body to be taken. */
  answer(): Promise<ScriptedAnswer> {
    return withTimeout(this.#answered.promise, () => `${this.request.path} has no answer`);
  }

  /** Why the dispatcher gave up. */
  aborted(): Promise<string> {
    return withTimeout(this.#aborted.promise, () => `${this.request.path} was not aborted`);
  }

  #break(error: StreamError): void {
    if (this.signal.aborted) return;
    this.#controller.abort(error);
    this.body.fail(error);
    this.#download.breakOff();
  }
}
