export { decodeBase64url, decodeBase64urlOfAnyLength, encodeBase64url } from './base64url.ts';
export { CLOSE_CODE, isTerminalForClient, TERMINAL_CLOSE_CODES } from './close-code.ts';
export type { CloseCode } from './close-code.ts';
export { formatControlMessage, parseControlMessage } from './control-message.ts';
export type { ControlMessage } from './control-message.ts';
export { createHostIdentity, exportHostIdentity, importHostIdentity, signUpgrade } from './host-identity.ts';
export type { HostIdentity, PrivateJwk, SigningKey, UpgradeToSign } from './host-identity.ts';
export {
  canonicalPublicKeyText,
  deriveServerId,
  formatPublicKeyField,
  parsePublicKeyField,
} from './identity.ts';
export type { ParsedPublicKey, PublicJwk } from './identity.ts';
export { CONNECTION_ID_BYTES, isConnectionId, isServerId, SERVER_ID_BYTES } from './ids.ts';
export { ROLES } from './role.ts';
export type { HostRole, Role } from './role.ts';
export { parseTimestamp, SIGNATURE_BYTES, signingText } from './signing.ts';
export type { SignedFields } from './signing.ts';
export type { UpgradeFault, UpgradeFaultKind } from './upgrade-fault.ts';
export { formatUpgradeQuery, parseUpgradeTarget, PROTOCOL_VERSION } from './upgrade-query.ts';
export type { ParsedUpgradeTarget, UpgradeTargetLimits } from './upgrade-query.ts';
export type {
  ClientUpgrade,
  HostControlUpgrade,
  HostDataUpgrade,
  HostProof,
  HostUpgrade,
  UpgradeRequest,
} from './upgrade-request.ts';
