// Variables that are not read by our commands, with what they mean.

/** Read by Docker Compose and by Caddy's configuration. */
export const DEPLOYMENT_VARIABLES = [
  {
    name: 'OPENCHAMBER_RELAY_IMAGE',
    needed: 'required by the `remote` files',
    meaning: 'the published image; in production with version and digest',
  },
  {
    name: 'RELAY_DOMAIN',
    needed: 'required by the `remote` files',
    meaning: 'the public name, for the certificate: `relay.example.org`',
  },
  {
    name: 'ACME_EMAIL',
    needed: 'required by the `remote` files',
    meaning: 'whom the certificate authority may write to',
  },
  {
    name: 'OPENCHAMBER_RELAY_PUBLISHED_PORT',
    needed: '8787',
    meaning: 'port of the relay on 127.0.0.1, in the files that build here',
  },
  {
    name: 'OPENCHAMBER_PUSH_RELAY_PUBLISHED_PORT',
    needed: '8788',
    meaning: 'port of the push relay on 127.0.0.1, in the file that builds both here',
  },
  {
    name: 'RELAY_MEMORY_LIMIT',
    needed: '512m',
    meaning: "memory of the relay's container; raise it with the limits",
  },
  {
    name: 'PUSH_MEMORY_LIMIT',
    needed: '512m',
    meaning: "memory of the push relay's container",
  },
  {
    name: 'OPENCHAMBER_PUSH_RELAY_APNS_P8_FILE',
    needed: 'required for push',
    meaning: 'path of the `.p8` on the machine; the container gets it as the secret `/run/secrets/apns_p8`',
  },
];

/** Read by Hosts, not by a relay. */
export const HOST_VARIABLES = [
  {
    name: 'OPENCHAMBER_RELAY_URL',
    meaning: 'the relay to use: `wss://relay.example.org/ws`',
  },
  {
    name: 'OPENCHAMBER_PUSH_RELAY_URL',
    meaning:
      'where to send pushes, if not to the relay: `https://push.example.org/v1/push/send`; the other routes are beside it',
  },
  {
    name: 'OPENCHAMBER_PUSH_RELAY_DISABLED',
    meaning: '`true` turns push off',
  },
  {
    name: 'OPENCHAMBER_APNS_ENVIRONMENT',
    meaning: "which of Apple's services the phones belong to: `sandbox` (the default) or `production`",
  },
];
