// Pairing links: exact ones, ones that mean the same, and ones that are refused, each with the fault.
import { createHash } from 'node:crypto';
import { setUnusedBit } from './key-schedule-vectors.mjs';

export function makePairingVectors({ host: { kty, crv, x, y } }) {
  const serverId = createHash('sha256').update('a server').digest('base64url');
  const point = Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString(
    'base64url',
  );
  const secret = Buffer.from('101112131415161718191a1b1c1d1e1f', 'hex').toString('base64url');
  const facts = { relayUrl: 'wss://relay.example/ws', serverId, hostEncPubJwk: { crv, kty, x, y }, secret };
  const { secret: _secret, ...open } = facts;
  const r = 'wss%3A%2F%2Frelay.example%2Fws';
  const fragment = `v=1&r=${r}&h=${serverId}&k=${point}&s=${secret}`;
  const openFragment = `v=1&r=${r}&h=${serverId}&k=${point}`;
  const swap = (name, value) => fragment.replace(new RegExp(`(^|&)${name}=[^&]*`), `$1${name}=${value}`);
  const off = Buffer.from(point, 'base64url');
  off[63] ^= 1;
  return {
    formatted: [
      { name: 'the default page', facts, link: `openchamber://pair#${fragment}` },
      { name: 'without a secret', facts: open, link: `openchamber://pair#${openFragment}` },
      {
        name: 'a page of its own',
        facts,
        pageUrl: 'https://app.example/open',
        link: `https://app.example/open#${fragment}`,
      },
      {
        name: 'a page with a query, and a fragment that is dropped',
        facts,
        pageUrl: 'https://app.example/?v=2&r=x#old#er',
        link: `https://app.example/?v=2&r=x#${fragment}`,
      },
    ],
    tolerated: [
      { name: 'the bare fragment', facts, link: fragment },
      { name: 'the bare fragment with its sign', facts, link: `#${fragment}` },
      { name: 'space around it', facts, link: ` \n openchamber://pair#${fragment}\r\n` },
      {
        name: 'fields in another order, and unknown ones',
        facts,
        link: `#x=1&x=2&${fragment.split('&').toReversed().join('&')}&y`,
      },
      { name: 'a relay URL that is not escaped', facts, link: swap('r', 'wss://relay.example/ws') },
      {
        name: 'a relay URL with query and fragment',
        facts,
        link: swap('r', 'WSS%3A%2F%2FRelay.Example:443%2Fws%3Fa%3Db%23c'),
      },
    ],
    refused: [
      ['nothing', 'no-pairing', ''],
      ['another text', 'no-pairing', 'hello'],
      ['a URL without a fragment', 'no-pairing', 'https://app.example/'],
      ['the facts in the query', 'no-pairing', `https://app.example/?${fragment}`],
      ['another version', 'version', swap('v', '2')],
      ['an empty version', 'version', swap('v', '')],
      ['a field twice', 'duplicate-field', `${fragment}&s=${secret}`],
      ['without a relay URL', 'relay-url', fragment.replace(/r=[^&]*&/, '')],
      ['a relay URL that is none', 'relay-url', swap('r', 'relay')],
      ['a relay URL with https', 'relay-url', swap('r', 'https%3A%2F%2Frelay.example')],
      ['a relay URL with a user', 'relay-url', swap('r', 'wss%3A%2F%2Fme%40relay.example')],
      ['a relay URL with a password', 'relay-url', swap('r', 'wss%3A%2F%2F%3Apass%40relay.example')],
      ['without a server id', 'server-id', fragment.replace(/h=[^&]*&/, '')],
      ['a server id cut short', 'server-id', swap('h', serverId.slice(1))],
      ['a server id with padding', 'server-id', swap('h', `${serverId}%3D`)],
      ['a server id with an unused bit set', 'server-id', swap('h', setUnusedBit(serverId))],
      ['without a key', 'host-key', fragment.replace(/k=[^&]*&/, '')],
      ['a key cut short', 'host-key', swap('k', point.slice(1))],
      [
        'a key with the byte of an uncompressed point',
        'host-key',
        swap('k', Buffer.concat([Buffer.of(4), Buffer.from(point, 'base64url')]).toString('base64url')),
      ],
      ['a key with an unused bit set', 'host-key', swap('k', setUnusedBit(point))],
      ['a key off the curve', 'host-key', swap('k', off.toString('base64url'))],
      ['an empty secret', 'secret', swap('s', '')],
      ['a secret of 15 bytes', 'secret', swap('s', Buffer.alloc(15).toString('base64url'))],
      ['a secret of 17 bytes', 'secret', swap('s', Buffer.alloc(17).toString('base64url'))],
      ['a secret with an unused bit set', 'secret', swap('s', setUnusedBit(secret))],
      ['cut off in the secret', 'secret', fragment.slice(0, -1)],
    ].map(([name, fault, link]) => ({ name, fault, link })),
  };
}
