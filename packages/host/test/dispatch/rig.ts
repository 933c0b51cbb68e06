import { onTestFinished } from 'vitest';
import { Inbox } from '@openchambery/testkit';
import { createDispatcher, type DispatcherOptions } from '../../src/dispatch/create-dispatcher.ts';
import type { DispatchFailure } from '../../src/dispatch/stream-dispatcher.ts';
import { type ScriptedAnswer, ScriptedRequest, type ScriptedRequestOptions } from './scripted-request.ts';
import { ScriptedSocket, type ScriptedSocketOptions } from './scripted-socket.ts';

/** A dispatcher, and what it reported. */
export class Rig {
  readonly failures: Inbox<DispatchFailure> = new Inbox('failures', ({ path, error }) => `${path} ${error}`);
  readonly #dispatcher: ReturnType<typeof createDispatcher>;

  constructor(options: DispatcherOptions) {
    this.#dispatcher = createDispatcher(options);
    onTestFinished(() => this.#dispatcher.close());
  }

  /** A request whose body is still to come. */
  open(options: ScriptedRequestOptions): ScriptedRequest {
    const request = new ScriptedRequest(options);
    this.#dispatcher.onRequest(request, this.#context());
    return request;
  }

  /** A whole request; its answer. */
  async fetch(options: ScriptedRequestOptions, body?: string | Uint8Array): Promise<ScriptedAnswer> {
    const request = this.open(options);
    request.body.end(body);
    return await request.answer();
  }

  /** A WebSocket that a Client wants to open. */
  openSocket(options: ScriptedSocketOptions): ScriptedSocket {
    const socket = new ScriptedSocket(options);
    this.#dispatcher.onSocket(socket, this.#context());
    return socket;
  }

  close(): void {
    this.#dispatcher.close();
  }

  #context() {
    return { connectionId: 'conn-1', report: (failure: DispatchFailure) => this.failures.push(failure) };
  }
}

/** The text of a body. */
export async function text(answer: ScriptedAnswer): Promise<string> {
  return (await answer.body.all()).toString();
}

/** The JSON of a body. */
export async function json(answer: ScriptedAnswer): Promise<Record<string, unknown>> {
  return JSON.parse(await text(answer)) as Record<string, unknown>;
}
