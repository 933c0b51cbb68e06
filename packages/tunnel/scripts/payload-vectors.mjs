// The JSON payloads of Layer 3: exact texts, texts that mean the same, and texts that are refused.

const request = { method: 'GET', path: '/', query: '', headers: {} };
const open = { path: '/', query: '' };

/** [kind, value, exact text] */
const EXACT = [
  ['HttpRequest', request, '{"method":"GET","path":"/","query":"","headers":{}}'],
  [
    'HttpRequest',
    {
      method: 'POST',
      path: '/a%20b/c;d',
      query: 'x=1&y=%C3%A9?',
      headers: { accept: '*/*', 'content-type': 'text/plain' },
    },
    '{"method":"POST","path":"/a%20b/c;d","query":"x=1&y=%C3%A9?","headers":{"accept":"*/*","content-type":"text/plain"}}',
  ],
  ['HttpResponse', { status: 200, headers: {} }, '{"status":200,"headers":{}}'],
  [
    'HttpResponse',
    { status: 599, headers: { 'set-cookie': ['a=1', 'b=2; Path=/'], etag: '"é"' } },
    '{"status":599,"headers":{"set-cookie":["a=1","b=2; Path=/"],"etag":"\\"é\\""}}',
  ],
  ['StreamAbort', { reason: 'cancelled' }, '{"reason":"cancelled"}'],
  ['WsOpen', open, '{"path":"/","query":""}'],
  [
    'WsOpen',
    { path: '/s', query: 'q', protocols: ['one', 'two'], headers: { cookie: 'a=b' } },
    '{"path":"/s","query":"q","protocols":["one","two"],"headers":{"cookie":"a=b"}}',
  ],
  ['WsOpened', {}, '{}'],
  ['WsOpened', { protocol: 'one' }, '{"protocol":"one"}'],
  ['WsClose', { code: 1000, reason: '' }, '{"code":1000,"reason":""}'],
  ['WsClose', { code: 4999, reason: 'naïve' }, '{"code":4999,"reason":"naïve"}'],
];

/** [name, kind, value, text] */
const TOLERATED = [
  [
    'unknown members',
    'HttpRequest',
    request,
    '{"later":[{}],"method":"GET","path":"/","query":"","headers":{}}',
  ],
  ['without a query and headers', 'HttpRequest', request, '{"method":"GET","path":"/"}'],
  ['null for headers', 'HttpRequest', request, '{"method":"GET","path":"/","query":null,"headers":null}'],
  [
    'headers in upper case',
    'HttpResponse',
    { status: 200, headers: { etag: 'x' } },
    '{"status":200,"headers":{"ETag":"x"}}',
  ],
  [
    'a name in two cases',
    'HttpResponse',
    { status: 200, headers: { via: 'a, b' } },
    '{"status":200,"headers":{"Via":"a","via":"b"}}',
  ],
  [
    'a list for any name',
    'HttpResponse',
    { status: 200, headers: { via: 'a, b' } },
    '{"status":200,"headers":{"via":["a","b"]}}',
  ],
  [
    'cookies in a list',
    'HttpRequest',
    { ...request, headers: { cookie: 'a=1; b=2' } },
    '{"method":"GET","path":"/","query":"","headers":{"cookie":["a=1","b=2"]}}',
  ],
  [
    'a list of one',
    'HttpResponse',
    { status: 200, headers: { 'set-cookie': 'a' } },
    '{"status":200,"headers":{"set-cookie":["a"]}}',
  ],
  ['an empty list', 'HttpResponse', { status: 200, headers: {} }, '{"status":200,"headers":{"via":[]}}'],
  [
    'an empty value',
    'HttpResponse',
    { status: 200, headers: { via: '' } },
    '{"status":200,"headers":{"via":""}}',
  ],
  ['an empty protocol', 'WsOpened', {}, '{"protocol":""}'],
  ['null for a protocol', 'WsOpened', {}, '{"protocol":null}'],
  ['without a reason', 'WsClose', { code: 1005, reason: '' }, '{"code":1005}'],
  [
    'null for what may be missing',
    'WsOpen',
    open,
    '{"path":"/","query":null,"protocols":null,"headers":null}',
  ],
  ['no protocols', 'WsOpen', { ...open, protocols: [] }, '{"path":"/","query":"","protocols":[]}'],
];

/** Wrong for every kind. */
const NOT_OBJECTS = ['', 'null', '[]', '"x"', '1', '{', '{}x'];

const badPaths = [
  '""',
  '"a"',
  '"*"',
  '1',
  'null',
  '"/ "',
  '"/\\r\\n"',
  '"/\\u0000"',
  '"/?a"',
  '"/#a"',
  '"/\\u007f"',
  '"/\\u0100"',
];
const badQueries = ['1', '[]', '" "', '"#"', '"a\\nb"', '"\\ud800"'];
const badHeaders = [
  '[]',
  '"x"',
  '{"":"x"}',
  '{"a b":"x"}',
  '{"a:":"x"}',
  '{"é":"x"}',
  '{"a":1}',
  '{"a":null}',
  '{"a":{}}',
  '{"a":["x",1]}',
  '{"a":[["x"]]}',
  '{"a":"x\\ny"}',
  '{"a":"x\\ry"}',
  '{"a":"\\u0000"}',
  '{"a":"\\u007f"}',
  '{"a":"\\u0100"}',
];

const REFUSED = [
  ...['"GET /"', '""', '1', 'null', '"GÉT"', '"G\\n"'].map((method) => [
    'HttpRequest',
    `{"method":${method},"path":"/","query":"","headers":{}}`,
  ]),
  ...badPaths.map((path) => ['HttpRequest', `{"method":"GET","path":${path},"query":"","headers":{}}`]),
  ...badQueries.map((query) => ['HttpRequest', `{"method":"GET","path":"/","query":${query},"headers":{}}`]),
  ...badHeaders.map((headers) => [
    'HttpRequest',
    `{"method":"GET","path":"/","query":"","headers":${headers}}`,
  ]),
  ...['199', '101', '600', '200.5', '"200"', 'null', '-200', '1e9'].map((status) => [
    'HttpResponse',
    `{"status":${status},"headers":{}}`,
  ]),
  ...badHeaders.map((headers) => ['HttpResponse', `{"status":200,"headers":${headers}}`]),
  ['StreamAbort', '{}'],
  ['StreamAbort', '{"reason":1}'],
  ...badPaths.map((path) => ['WsOpen', `{"path":${path},"query":""}`]),
  ...badQueries.map((query) => ['WsOpen', `{"path":"/","query":${query}}`]),
  ...badHeaders.map((headers) => ['WsOpen', `{"path":"/","query":"","headers":${headers}}`]),
  ...['"a"', '{}', '[1]', '[""]', '["a b"]', '["a","a"]', '[["a"]]'].map((protocols) => [
    'WsOpen',
    `{"path":"/","query":"","protocols":${protocols}}`,
  ]),
  ...['1', '[]', '"a b"', '"a,b"'].map((protocol) => ['WsOpened', `{"protocol":${protocol}}`]),
  ...['999', '5000', '1000.5', '"1000"', 'null', '0', '-1'].map((code) => [
    'WsClose',
    `{"code":${code},"reason":""}`,
  ]),
  ['WsClose', '{"reason":""}'],
  ['WsClose', '{"code":1000,"reason":1}'],
];

const KINDS = ['HttpRequest', 'HttpResponse', 'StreamAbort', 'WsOpen', 'WsOpened', 'WsClose'];

export function makePayloadVectors() {
  return {
    exact: EXACT.map(([kind, value, text]) => ({ kind, value, text })),
    tolerated: TOLERATED.map(([name, kind, value, text]) => ({ name, kind, value, text })),
    refused: [...KINDS.flatMap((kind) => NOT_OBJECTS.map((text) => [kind, text])), ...REFUSED].map(
      ([kind, text]) => ({
        kind,
        text,
      }),
    ),
  };
}
