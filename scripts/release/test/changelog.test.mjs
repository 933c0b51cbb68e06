import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addVersion, formatChanges, releaseNotes } from '../changelog.mjs';
import { workspaceVersion } from '../version.mjs';

const CHANGELOG = `# Changes

About them.

## 0.2.0

### New

- Two.

## 0.1.0

- One.
`;

test('the notes of a version are what stands below its heading', () => {
  assert.equal(releaseNotes('0.2.0', CHANGELOG), '### New\n\n- Two.\n');
  assert.equal(releaseNotes('0.1.0', CHANGELOG), '- One.\n');
});

test('a version without notes is refused', () => {
  assert.throws(() => releaseNotes('0.3.0', CHANGELOG), /says nothing about 0\.3\.0/);
  // A prefix of another version is not that version.
  assert.throws(() => releaseNotes('0.2', CHANGELOG), /says nothing/);
  assert.throws(() => releaseNotes('0.3.0', '# Changes\n\n## 0.3.0\n\n## 0.2.0\n\n- Two.\n'), /says nothing/);
});

test('the version of this workspace has notes', () => {
  assert.ok(releaseNotes(workspaceVersion()).length > 0);
});

test('a new version stands above the others and below the introduction', () => {
  const changelog = addVersion('0.3.0', '- Three.\n', CHANGELOG);
  assert.ok(changelog.startsWith('# Changes\n\nAbout them.\n\n## 0.3.0\n\n- Three.\n\n## 0.2.0\n'));
  assert.equal(releaseNotes('0.3.0', changelog), '- Three.\n');
  assert.equal(releaseNotes('0.1.0', changelog), '- One.\n');
  assert.equal(addVersion('0.1.0', '- One.', '# Changes\n'), '# Changes\n\n## 0.1.0\n\n- One.\n');
  assert.throws(() => addVersion('0.2.0', '- Again.', CHANGELOG), /already/);
});

test('changes are listed by weight, paragraphs inside their item', () => {
  const body = formatChanges([
    { kind: 'patch', summary: 'Small.' },
    { kind: 'minor', summary: 'New.\n\nMore of it.\n' },
    { kind: 'patch', summary: 'Smaller.' },
  ]);
  assert.equal(body, '### New\n\n- New.\n\n  More of it.\n\n### Fixed and improved\n\n- Small.\n- Smaller.');
  assert.match(formatChanges([{ kind: 'major', summary: 'Big.' }]), /need your attention\n\n- Big\./);
});
