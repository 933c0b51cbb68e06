// Takes a page of Markdown apart, as far as the checks of the documentation need it.

const FENCE = /^(?<indent> *)(?<marks>```+)(?<language>[^\s`]*)[^\n]*$/;
const COMMENT = /^ *<!--(?<text>.*)-->\s*$/;

/**
 * A page: its anchors, links, inline code and fenced blocks, each with its line. A block has the directives of the
 * comments right above it, `<!-- key: value -->`.
 */
export function parsePage(path, text) {
  const { fences, prose } = separateFences(text.split('\n'));
  const withoutComments = prose.replaceAll(/<!--[\s\S]*?-->/g, blank);
  const codes = [...withoutComments.matchAll(/`([^`\n]+)`/g)].map((match) => ({
    text: match[1],
    line: lineAt(prose, match.index),
  }));
  const plain = withoutComments.replaceAll(/`[^`\n]+`/g, blank);
  const links = [...plain.matchAll(/\]\(([^()\s]+)\)/g)].map((match) => ({
    target: match[1],
    line: lineAt(prose, match.index),
  }));
  return { path, text, fences, codes, links, anchors: findAnchors(withoutComments) };
}

function separateFences(lines) {
  const fences = [];
  const prose = [];
  let open;
  lines.forEach((line, index) => {
    const match = FENCE.exec(line);
    if (open === undefined && match === null) {
      prose.push(line);
      return;
    }
    prose.push('');
    if (open === undefined) {
      const { indent, marks, language } = match.groups;
      const directives = directivesAbove(lines, index);
      open = { indent: indent.length, marks, language, directives, line: index + 1, lines: [] };
    } else if (line.trim() === open.marks) {
      fences.push({ ...open, text: open.lines.join('\n') });
      open = undefined;
    } else {
      open.lines.push(line.slice(Math.min(open.indent, line.search(/\S|$/))));
    }
  });
  if (open !== undefined) fences.push({ ...open, language: 'never closed', text: open.lines.join('\n') });
  return { fences, prose: prose.join('\n') };
}

function directivesAbove(lines, index) {
  const directives = new Map();
  for (let above = index - 1; above >= 0; above -= 1) {
    const text = COMMENT.exec(lines[above])?.groups.text.trim();
    if (text === undefined) break;
    const [key, ...value] = text.split(':');
    directives.set(key.trim(), value.join(':').trim());
  }
  return directives;
}

/** As GitHub makes them of headings. */
function findAnchors(prose) {
  const anchors = new Set();
  for (const [, heading] of prose.matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

function lineAt(text, index) {
  return text.slice(0, index).split('\n').length;
}

function blank(text) {
  return text.replaceAll(/[^\n]/g, ' ');
}
