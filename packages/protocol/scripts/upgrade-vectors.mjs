// The upgrade vectors of make-vectors.mjs: request targets, each with what it means or what is wrong with it.

const LIMITS = { path: '/ws', maxUrlBytes: 4096, maxFieldBytes: 512 };

/** Request targets made from two signed upgrades of one Host. */
export function makeUpgradeVectors({ control, data }) {
  return { limits: LIMITS, good: makeGood(control, data), bad: makeBad(control, data) };
}

function proof({ ts, sig, pk }) {
  return `ts=${ts}&sig=${sig}&pk=${pk}`;
}

function queries(control, data) {
  const { serverId } = control;
  return {
    client: `v=1&role=client&serverId=${serverId}`,
    control: `v=1&role=host-control&serverId=${serverId}&${proof(control)}`,
    data: `v=1&role=host-data&serverId=${serverId}&connectionId=${data.connectionId}&${proof(data)}`,
  };
}

function upgradeOf({ role, serverId, connectionId, ts, sig, pk }) {
  const proof = { ts, sig, pk };
  return connectionId === undefined
    ? { role, serverId, ...proof }
    : { role, serverId, connectionId, ...proof };
}

function toVector([name, query, upgrade]) {
  return { name, target: `/ws?${query}`, upgrade };
}

function makeGood(control, data) {
  const query = queries(control, data);
  const { serverId } = control;
  const client = { role: 'client', serverId };
  const grant = (text) => ({ ...client, grant: text });
  const written = [
    ['client', query.client, client],
    ['client with grant', `${query.client}&grant=a-grant`, grant('a-grant')],
    ['grant that needs escapes', `${query.client}&grant=a+b%26c%3D%25%C3%A9`, grant('a b&c=%é')],
    ['host-control', query.control, upgradeOf(control)],
    ['host-data', query.data, upgradeOf(data)],
  ];
  const read = [
    ['fields in another order', `serverId=${serverId}&role=client&v=1`, client],
    ['escaped letters', `v=%31&r%6fle=cl%69ent&serverId=${serverId}`, client],
    ['unknown fields, even twice', `${query.client}&app=2&app=3&token=`, client],
    ['a name in another case is unknown', `${query.client}&Role=x&SIG=y`, client],
    ['names of object members are unknown', `${query.client}&__proto__=1&constructor=2`, client],
    ['empty pairs', `&&${query.client}&&`, client],
    ['empty grant', `${query.client}&grant=`, grant('')],
    ['bad escapes in an unknown field', `${query.client}&x=%zz%`, client],
    ['bad escapes in the grant', `${query.client}&grant=%zz%`, grant('%zz%')],
    ['raw UTF-8 bytes in the grant', `${query.client}&grant=\u00c3\u00a9`, grant('é')],
    ['grant of 512 bytes', `${query.client}&grant=${'g'.repeat(512)}`, grant('g'.repeat(512))],
    ['grant of 512 bytes, escaped', `${query.client}&grant=${'%C3%A9'.repeat(256)}`, grant('é'.repeat(256))],
    [
      'ts, sig and pk are not looked at',
      `v=1&role=host-control&serverId=${serverId}&ts=&sig=&pk=`,
      { role: 'host-control', serverId, ts: '', sig: '', pk: '' },
    ],
  ];
  const long = {
    name: 'target of 4096 bytes',
    target: `/ws?${query.client}&x=`.padEnd(LIMITS.maxUrlBytes, 'x'),
    upgrade: client,
  };
  return [
    ...written.map(toVector).map((vector) => ({ ...vector, isFormatted: true })),
    ...[...read.map(toVector), long].map((vector) => ({ ...vector, isFormatted: false })),
  ];
}

function makeBad(control, data) {
  const query = queries(control, data);
  return [...badTargets(query), ...badQueries(query, control.serverId, data.connectionId)].map(
    ([name, fault, target]) => ({ name, target, fault }),
  );
}

function badTargets({ client }) {
  return [
    ['empty target', 'wrong-path', ''],
    ['asterisk form', 'wrong-path', '*'],
    ['two slashes', 'wrong-path', '//'],
    ['authority form', 'wrong-path', 'relay.example:443'],
    ['absolute form', 'wrong-path', `http://relay.example/ws?${client}`],
    ['another path', 'wrong-path', `/wss?${client}`],
    ['trailing slash', 'wrong-path', `/ws/?${client}`],
    ['leading slash doubled', 'wrong-path', `//ws?${client}`],
    ['dot segment', 'wrong-path', `/./ws?${client}`],
    ['escaped path', 'wrong-path', `/%77s?${client}`],
    ['another case', 'wrong-path', `/WS?${client}`],
    ['bad escape', 'wrong-path', '/%'],
    ['target of 4097 bytes', 'url-too-long', `/ws?${client}&x=`.padEnd(4097, 'x')],
    ['long and of another path', 'url-too-long', '/'.repeat(4097)],
    ['no query', 'missing-field', '/ws'],
    ['empty query', 'missing-field', '/ws?'],
    ['question mark doubled', 'missing-field', `/ws??${client}`],
  ];
}

function without(query, field) {
  return query.replace(new RegExp(`&?${field}=[^&]*`), '');
}

function clientOf(serverId) {
  return `v=1&role=client&serverId=${serverId}`;
}

function badQueries({ client, control, data }, serverId, connectionId) {
  const connection = (text) => data.replace(connectionId, text);
  const rows = [
    ...['v', 'role', 'serverId', 'ts', 'sig', 'pk'].map((field) => [
      `host-control without ${field}`,
      'missing-field',
      without(control, field),
    ]),
    ...['v', 'role', 'serverId', 'connectionId', 'ts', 'sig', 'pk'].map((field) => [
      `host-data without ${field}`,
      'missing-field',
      without(data, field),
    ]),
    ...['ts', 'sig', 'pk', 'connectionId'].map((field) => [
      `client with ${field}`,
      'foreign-field',
      `${client}&${field}=`,
    ]),
    ['host-control with grant', 'foreign-field', `${control}&grant=g`],
    ['host-control with connectionId', 'foreign-field', `${control}&connectionId=${connectionId}`],
    ['host-data with grant', 'foreign-field', `${data}&grant=`],
    ...['v', 'role', 'serverId', 'connectionId', 'ts', 'sig', 'pk'].map((field) => [
      `${field} twice`,
      'duplicate-field',
      `${data}&${field}=`,
    ]),
    ['the same field twice, once escaped', 'duplicate-field', `${client}&%72ole=client`],
    ['grant twice', 'duplicate-field', `${client}&grant=g&grant=g`],
    ['version 2', 'bad-version', client.replace('v=1', 'v=2')],
    ['version 01', 'bad-version', client.replace('v=1', 'v=01')],
    ['empty version', 'bad-version', client.replace('v=1', 'v=')],
    ['unknown role', 'bad-role', client.replace('client', 'host')],
    ['role in another case', 'bad-role', client.replace('client', 'Client')],
    ['role named like an object member', 'bad-role', client.replace('client', '__proto__')],
    ['grant of 513 bytes', 'field-too-long', `${client}&grant=${'g'.repeat(513)}`],
    ['grant of 513 bytes, escaped', 'field-too-long', `${client}&grant=g${'%C3%A9'.repeat(256)}`],
    ['pk of 513 bytes', 'field-too-long', control.replace(/pk=.*/, `pk=${'A'.repeat(513)}`)],
    ['empty serverId', 'bad-server-id', clientOf('')],
    ['serverId of 42 characters', 'bad-server-id', clientOf(serverId.slice(1))],
    ['serverId of 44 characters', 'bad-server-id', clientOf(`${serverId}A`)],
    ['serverId with padding', 'bad-server-id', clientOf(`${serverId}=`)],
    ['serverId with an unused bit set', 'bad-server-id', clientOf(`${'A'.repeat(42)}B`)],
    ['serverId in standard base64', 'bad-server-id', clientOf(`%2B${serverId.slice(1)}`)],
    ['serverId with a NUL', 'bad-server-id', clientOf(`${serverId.slice(1)}%00`)],
    ['serverId with a space', 'bad-server-id', clientOf(`+${serverId.slice(1)}`)],
    ['fragment', 'bad-server-id', `${client}#top`],
    ['empty connectionId', 'bad-connection-id', connection('')],
    ['connectionId of 21 characters', 'bad-connection-id', connection(connectionId.slice(1))],
    ['connectionId of 23 characters', 'bad-connection-id', connection(`${connectionId}A`)],
    ['connectionId with an unused bit set', 'bad-connection-id', connection(`${'A'.repeat(21)}B`)],
  ];
  return rows.map(([name, fault, query]) => [name, fault, `/ws?${query}`]);
}
