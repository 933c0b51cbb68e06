/** What the generated configuration depends on. */
export interface NginxSettings {
  readonly directory: string;
  readonly port: number;
  readonly upstreamPort: number;
  /** `proxy_buffer_size`: how much is read and written at once. */
  readonly bufferSize: string;
  /** Path of the stream module where it is not built in. */
  readonly streamModule: string | undefined;
}

/** One worker, no logs, nothing but the TCP proxy. */
export function nginxConfiguration(settings: NginxSettings): string {
  const loadModule = settings.streamModule === undefined ? '' : `load_module ${settings.streamModule};\n`;
  return `${loadModule}daemon off;
worker_processes 1;
worker_rlimit_nofile 20000;
pid ${settings.directory}/nginx.pid;
error_log ${settings.directory}/error.log crit;
events {
  worker_connections 16000;
}
stream {
  access_log off;
  server {
    listen 127.0.0.1:${settings.port} backlog=4096;
    proxy_pass 127.0.0.1:${settings.upstreamPort};
    proxy_buffer_size ${settings.bufferSize};
    tcp_nodelay on;
  }
}
`;
}
