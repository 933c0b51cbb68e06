// On their own, so that a relay by itself can look for them without loading push.

/** What every environment variable of the push relay starts with. */
export const PUSH_PREFIX = 'OPENCHAMBER_PUSH_RELAY_';

/** What every variable about Apple starts with; any that is set makes combined mode. */
export const APNS_PREFIX = 'OPENCHAMBER_PUSH_RELAY_APNS_';

/** What every variable about Google starts with. */
export const FCM_PREFIX = 'OPENCHAMBER_PUSH_RELAY_FCM_';
