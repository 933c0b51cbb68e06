/** What can be wrong with an upgrade before anybody's authority is looked at. */
export type UpgradeFaultKind =
  | 'url-too-long'
  | 'wrong-path'
  | 'duplicate-field'
  | 'field-too-long'
  | 'missing-field'
  | 'foreign-field'
  | 'bad-version'
  | 'bad-role'
  | 'bad-server-id'
  | 'bad-connection-id';

/** Why an upgrade is malformed. */
export interface UpgradeFault {
  readonly kind: UpgradeFaultKind;
  /** For a person: names fields and limits, never the value of a field, which may be a secret. */
  readonly detail: string;
}
