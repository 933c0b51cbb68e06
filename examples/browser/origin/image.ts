import type { IncomingMessage, ServerResponse } from 'node:http';

const WIDTH = 480;
const HEIGHT = 200;

/** A picture of this very moment. */
export function answerImage(_request: IncomingMessage, response: ServerResponse): void {
  const now = new Date();
  const bars = Array.from({ length: 24 }, (_, hour) => bar(hour, now.getHours()));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
<rect width="100%" height="100%" rx="12" fill="#12305c"/>
${bars.join('\n')}
<text x="24" y="52" font-family="sans-serif" font-size="28" fill="#fff">It is ${now.toTimeString().slice(0, 8)} at home</text>
</svg>
`;
  response.writeHead(200, { 'content-type': 'image/svg+xml', 'cache-control': 'no-store' });
  response.end(svg);
}

function bar(hour: number, current: number): string {
  const height = 20 + 80 * Math.sin((Math.PI * hour) / 23);
  const fill = hour === current ? '#ffd166' : '#5b8def';
  return `<rect x="${24 + hour * 18}" y="${HEIGHT - 16 - height}" width="12" height="${height}" rx="3" fill="${fill}"/>`;
}
