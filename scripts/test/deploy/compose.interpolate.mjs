// What Compose makes of `${NAME}` in a value: the part of its syntax that our files use.
//   $$ → $ · ${NAME} · ${NAME:-default} · ${NAME:?message}; with the colon blank counts as unset

/** Compose would not start: a variable is missing, or the syntax is none of ours. */
export class InterpolationFault extends Error {}

const REFERENCE =
  /\$(?:(?<escaped>\$)|\{(?<name>[A-Za-z_]\w*)(?:(?<operator>:-|:\?)(?<operand>[^{}$]*))?\})/g;

/** One text, with the operator's variables. */
export function interpolate(text, variables) {
  const result = text.replaceAll(REFERENCE, (...args) => replace(args.at(-1), variables));
  // Any other dollar is syntax that Compose has and this does not, or that Compose refuses.
  if (text.replaceAll(REFERENCE, '').includes('$')) {
    throw new InterpolationFault(`Not understood: ${text}`);
  }
  return result;
}

/** Every name that a text refers to. */
export function referencesIn(text) {
  return [...text.matchAll(REFERENCE)].flatMap(({ groups }) => (groups.name ? [groups.name] : []));
}

/** A parsed file with all its values interpolated; keys are left as they are. */
export function interpolateAll(node, variables) {
  if (typeof node === 'string') {
    return interpolate(node, variables);
  }
  if (Array.isArray(node)) {
    return node.map((item) => interpolateAll(item, variables));
  }
  return node !== null && typeof node === 'object'
    ? Object.fromEntries(Object.entries(node).map(([key, value]) => [key, interpolateAll(value, variables)]))
    : node;
}

function replace({ escaped, name, operator, operand }, variables) {
  if (escaped) {
    return '$';
  }
  const value = variables[name];
  if (value !== undefined && (value !== '' || operator === undefined)) {
    return value;
  }
  if (operator === ':?') {
    throw new InterpolationFault(`${name} is required: ${operand}`);
  }
  return operand ?? '';
}
