/** A whole message. */
export interface Message {
  readonly isBinary: boolean;
  readonly body: string;
}

/** What a server may send, as RFC 6455 has it. */
export interface ReceivedClose {
  /** 1005 when the frame has no body. */
  readonly code: number;
  readonly reason: string;
}

/** Reads what the relay sends to one peer: the answer to the upgrade, then frames. */
export class FrameLog {
  readonly messages: Message[] = [];
  readonly pongs: string[] = [];
  pings = 0;
  /** The first line of the HTTP answer. */
  statusLine: string | undefined;
  close: ReceivedClose | undefined;
  fault: string | undefined;
  #unread: Buffer = Buffer.alloc(0);
  #parts: { readonly isBinary: boolean; readonly payloads: Buffer[] } | undefined;

  read(bytes: Buffer): void {
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    if (this.statusLine === undefined && !this.#readHead()) return;
    while (this.fault === undefined && this.#readFrame());
  }

  /** Whether a message has begun and not ended. */
  get isInMessage(): boolean {
    return this.#parts !== undefined;
  }

  #readHead(): boolean {
    const end = this.#unread.indexOf('\r\n\r\n');
    if (end === -1) return false;
    const head = this.#unread.subarray(0, end).toString('latin1');
    this.statusLine = head.slice(0, head.indexOf('\r\n'));
    this.#unread = this.#unread.subarray(end + 4);
    return true;
  }

  #readFrame(): boolean {
    const bytes = this.#unread;
    if (bytes.length < 2) return false;
    const [first, second] = bytes as unknown as [number, number];
    const lengthBytes = second === 127 ? 8 : second === 126 ? 2 : 0;
    if (second > 127) return this.#refuse('a masked frame');
    if (bytes.length < 2 + lengthBytes) return false;
    const length =
      lengthBytes === 0
        ? second
        : lengthBytes === 2
          ? bytes.readUInt16BE(2)
          : Number(bytes.readBigUInt64BE(2));
    const end = 2 + lengthBytes + length;
    if (bytes.length < end) return false;
    this.#unread = bytes.subarray(end);
    return this.#takeFrame(first, bytes.subarray(2 + lengthBytes, end));
  }

  #takeFrame(first: number, payload: Buffer): boolean {
    if (this.close !== undefined) return this.#refuse('a frame after the close frame');
    if ((first & 0x70) !== 0) return this.#refuse('reserved bits');
    const isLast = (first & 0x80) !== 0;
    const opcode = first & 0x0f;
    if (opcode >= 8) return this.#takeControl(opcode, isLast, payload);
    if (opcode > 2) return this.#refuse(`opcode ${opcode}`);
    if ((opcode === 0) !== (this.#parts !== undefined)) return this.#refuse('broken fragmentation');
    this.#parts ??= { isBinary: opcode === 2, payloads: [] };
    this.#parts.payloads.push(payload);
    if (!isLast) return true;
    const { isBinary, payloads } = this.#parts;
    this.#parts = undefined;
    this.messages.push({ isBinary, body: Buffer.concat(payloads).toString('latin1') });
    return true;
  }

  #takeControl(opcode: number, isLast: boolean, payload: Buffer): boolean {
    if (!isLast || payload.length > 125) return this.#refuse('a bad control frame');
    if (opcode === 9) this.pings++;
    else if (opcode === 10) this.pongs.push(payload.toString('latin1'));
    else if (opcode === 8) {
      if (payload.length === 1) return this.#refuse('a close frame of one byte');
      this.close =
        payload.length === 0
          ? { code: 1005, reason: '' }
          : { code: payload.readUInt16BE(0), reason: payload.toString('utf8', 2) };
    } else return this.#refuse(`opcode ${opcode}`);
    return true;
  }

  #refuse(what: string): false {
    this.fault = `the relay sent ${what}`;
    return false;
  }
}
