import { WebSocket } from 'ws';
import { createHostKey, hostQuery } from '../../load/host-key.ts';
import { ready } from './party-process.ts';

/** How every plain WebSocket is made. */
export const SOCKET_OPTIONS = { perMessageDeflate: false, skipUTF8Validation: true };

/** Registers a new Host and has each Client taken up. @param onClient gets the URL of a data connection */
export function serveAsPlainHost(relayUrl: string, onClient: (url: string) => void): void {
  const key = createHostKey();
  const control = new WebSocket(`${relayUrl}?${hostQuery(key)}`, SOCKET_OPTIONS);
  control.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as { readonly type: string; readonly connectionId: string };
    if (message.type === 'sync') ready({ serverId: key.serverId });
    if (message.type === 'connected') onClient(`${relayUrl}?${hostQuery(key, message.connectionId)}`);
  });
}
