import { type PushRequest, registerRequest, sendRequest } from '@openchambery/testkit';
import type { FleetServer } from '../fleet.ts';

/** A signed request, ready to be written to a connection. */
export interface SignedRequest {
  readonly bytes: Buffer;
  /** How many pushes it asks for; 0 for a registration. */
  readonly pushCount: number;
}

/** Makes one fresh request at each call. */
export type RequestSource = () => SignedRequest;

/** Sends to so many tokens of one server, the servers in turn. No two have the same text. */
export function sends(fleet: readonly FleetServer[], tokenCount: number): RequestSource {
  let index = 0;
  return () => {
    const { identity, tokens } = serverAt(fleet, index);
    const turn = Math.floor(index / fleet.length);
    index += 1;
    const start = (turn * tokenCount) % (tokens.length - tokenCount + 1);
    const fields = {
      tokens: tokens.slice(start, start + tokenCount),
      title: `Session ${index} is waiting for you`,
      body: 'The agent has a question about the change it is about to make.',
      data: { sessionId: `ses_${index}`, kind: 'question' },
    };
    return { bytes: encode(sendRequest(identity, fields, { ts: Date.now() })), pushCount: tokenCount };
  };
}

/** Registers known tokens again, the servers in turn: what an app does whenever it starts. */
export function registrations(fleet: readonly FleetServer[]): RequestSource {
  let index = 0;
  return () => {
    const { identity, tokens } = serverAt(fleet, index);
    const token = tokens[Math.floor(index / fleet.length) % tokens.length] ?? '';
    index += 1;
    return { bytes: encode(registerRequest(identity, token, { ts: Date.now() })), pushCount: 0 };
  };
}

function serverAt(fleet: readonly FleetServer[], index: number): FleetServer {
  const server = fleet[index % fleet.length];
  if (server === undefined) {
    throw new Error('a fleet without servers');
  }
  return server;
}

function encode({ path, body }: PushRequest): Buffer {
  const json = JSON.stringify(body);
  const head = `POST ${path} HTTP/1.1\r\nhost: push.example\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n`;
  return Buffer.from(head + json);
}
