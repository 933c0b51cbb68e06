import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeBase64url,
  formatUpgradeQuery,
  type ParsedUpgradeTarget,
  parseUpgradeTarget,
  type UpgradeFaultKind,
  type UpgradeRequest,
} from '../src/index.ts';
import { upgrades } from './vectors.ts';

const { limits } = upgrades;
const roomy = { path: '/ws', maxUrlBytes: 1e6, maxFieldBytes: 1e5 };

const serverId = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(encodeBase64url);
const connectionId = fc.uint8Array({ minLength: 16, maxLength: 16 }).map(encodeBase64url);
// Well-formed text: half a surrogate pair has no UTF-8.
const text = fc.string({ unit: 'binary' });
const upgrade: fc.Arbitrary<UpgradeRequest> = fc.oneof(
  fc.record(
    { role: fc.constant('client' as const), serverId, grant: text },
    { requiredKeys: ['role', 'serverId'] },
  ),
  fc.record({ role: fc.constant('host-control' as const), serverId, ts: text, sig: text, pk: text }),
  fc.record({
    role: fc.constant('host-data' as const),
    serverId,
    connectionId,
    ts: text,
    sig: text,
    pk: text,
  }),
);

function faultOf(parsed: ParsedUpgradeTarget): UpgradeFaultKind | 'none' {
  return parsed.ok ? 'none' : parsed.fault.kind;
}

function reencoded(id: string): string {
  return Buffer.from(id, 'base64url').toString('base64url');
}

function goodTarget(role: UpgradeRequest['role']): string {
  const found = upgrades.good.find(({ upgrade }) => upgrade.role === role);
  if (found === undefined) throw new Error(`no good vector for ${role}`);
  return found.target;
}

describe('parseUpgradeTarget', () => {
  it.each(upgrades.good)('takes: $name', ({ target, upgrade }) => {
    expect(parseUpgradeTarget(target, limits)).toEqual({ ok: true, upgrade });
  });

  it.each(upgrades.bad)('refuses as $fault: $name', ({ target, fault }) => {
    expect(faultOf(parseUpgradeTarget(target, limits))).toBe(fault);
  });

  it('reads back what was written', () => {
    fc.assert(
      fc.property(upgrade, (written) => {
        const target = `/ws?${formatUpgradeQuery(written)}`;
        expect(parseUpgradeTarget(target, roomy)).toEqual({ ok: true, upgrade: written });
      }),
    );
  });

  it('never throws, whatever the target', () => {
    const target = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
      fc.string({ unit: fc.constantFrom('/', '?', '&', '=', '%', '#', '+', '*', ':', '@', '.', 'v', '1') }),
      text.map((query) => `/ws?${query}`),
    );
    const property = fc.property(target, (input) => void parseUpgradeTarget(input, limits));
    expect(() => fc.assert(property)).not.toThrow();
    expect(faultOf(parseUpgradeTarget('/ws?\uD800=\uDFFF&v=\uD800', limits))).toBe('bad-version');
    expect(faultOf(parseUpgradeTarget(`/ws?${'&'.repeat(9e5)}`, roomy))).toBe('missing-field');
  });

  it('gives ids in canonical form alone, whatever is done to a good target', () => {
    const target = fc.constantFrom(...upgrades.good.map((vector) => vector.target));
    const change = fc.record({ at: fc.nat(400), removed: fc.nat(3), inserted: fc.string({ maxLength: 3 }) });
    fc.assert(
      fc.property(target, change, (target, { at, removed, inserted }) => {
        const parsed = parseUpgradeTarget(
          target.slice(0, at) + inserted + target.slice(at + removed),
          limits,
        );
        if (!parsed.ok) return;
        const { upgrade } = parsed;
        expect(upgrade.serverId).toHaveLength(43);
        expect(reencoded(upgrade.serverId)).toBe(upgrade.serverId);
        if (upgrade.role === 'host-data') expect(reencoded(upgrade.connectionId)).toBe(upgrade.connectionId);
      }),
      { numRuns: 1000 },
    );
  });

  it('refuses a good target without one of its fields, or with one twice', () => {
    for (const role of ['client', 'host-control', 'host-data'] as const) {
      const pairs = goodTarget(role).slice('/ws?'.length).split('&');
      for (const [index, pair] of pairs.entries()) {
        const without = pairs.toSpliced(index, 1).join('&');
        expect(faultOf(parseUpgradeTarget(`/ws?${without}`, limits))).toBe('missing-field');
        const twice = [...pairs, pair].join('&');
        expect(faultOf(parseUpgradeTarget(`/ws?${twice}`, limits))).toBe('duplicate-field');
      }
    }
  });

  it('never shows the value of a field', () => {
    const secret = 'hunter2';
    for (const field of ['v', 'role', 'serverId', 'connectionId', 'ts', 'sig', 'pk', 'grant', 'unknown']) {
      for (const query of [`${field}=${secret}`, `${field}=${secret}&${field}=${secret}`]) {
        expect(JSON.stringify(parseUpgradeTarget(`/ws?${query}`, limits))).not.toContain(secret);
      }
    }
    expect(JSON.stringify(parseUpgradeTarget(`/${secret}`, limits))).not.toContain(secret);
  });

  it('holds the length of the target to its limit', () => {
    const target = goodTarget('client');
    const parse = (maxUrlBytes: number): string =>
      faultOf(parseUpgradeTarget(target, { ...limits, maxUrlBytes }));
    expect(parse(target.length)).toBe('none');
    expect(parse(target.length - 1)).toBe('url-too-long');
  });

  it('counts raw bytes of the target, not their UTF-8', () => {
    const target = `${goodTarget('client')}&x=\u00ff\u00ff`;
    expect(faultOf(parseUpgradeTarget(target, { ...limits, maxUrlBytes: target.length }))).toBe('none');
  });

  it('holds every field to its limit', () => {
    const tight = { ...limits, maxFieldBytes: 20 };
    const parse = (field: string, length: number): string =>
      faultOf(parseUpgradeTarget(`/ws?${field}=${'A'.repeat(length)}`, tight));
    for (const field of ['v', 'role', 'serverId', 'connectionId', 'ts', 'sig', 'pk', 'grant']) {
      expect(parse(field, 20)).not.toBe('field-too-long');
      expect(parse(field, 21)).toBe('field-too-long');
    }
    expect(parse('unknown', 21)).toBe('missing-field');
  });

  it('takes another path when it is told to', () => {
    const query = goodTarget('client').slice('/ws'.length);
    expect(faultOf(parseUpgradeTarget(`/relay/v1${query}`, { ...limits, path: '/relay/v1' }))).toBe('none');
    expect(faultOf(parseUpgradeTarget(`/${query}`, { ...limits, path: '/' }))).toBe('none');
  });
});

describe('formatUpgradeQuery', () => {
  it.each(upgrades.good.filter(({ isFormatted }) => isFormatted))('writes: $name', ({ target, upgrade }) => {
    expect(`/ws?${formatUpgradeQuery(upgrade)}`).toBe(target);
  });
});
