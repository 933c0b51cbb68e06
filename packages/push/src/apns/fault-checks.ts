const CHECK_TOKEN =
  'check the key id, the team id, the clock of this machine, and that the key is not revoked (developer.apple.com, Keys)';
const CHECK_ENVIRONMENT =
  'the key may be restricted to the other environment or to other topics: check it on developer.apple.com, Keys';
const CHECK_TOPIC = 'check the bundle id, and that the key belongs to the team of that app';
const CHECK_URL = 'check the URL of this environment: what answers there is not APNs';

/** What to look at, by Apple's reason. */
const CHECKS: ReadonlyMap<string, string> = new Map([
  ['ExpiredProviderToken', CHECK_TOKEN],
  ['InvalidProviderToken', CHECK_TOKEN],
  ['MissingProviderToken', CHECK_TOKEN],
  ['UnrelatedKeyIdInToken', CHECK_ENVIRONMENT],
  ['BadEnvironmentKeyIdInToken', CHECK_ENVIRONMENT],
  ['BadEnvironmentKeyInToken', CHECK_ENVIRONMENT],
  ['BadCertificateEnvironment', CHECK_ENVIRONMENT],
  ['BadTopic', CHECK_TOPIC],
  ['MissingTopic', CHECK_TOPIC],
  ['TopicDisallowed', CHECK_TOPIC],
]);

/** What an operator should look at, in words, when Apple refuses pushes for `reason`. */
export function checkFor(reason: string): string {
  return CHECKS.get(reason) ?? (reason.startsWith('http-') ? CHECK_URL : CHECK_TOKEN);
}
