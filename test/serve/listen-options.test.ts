import { expect, test } from 'vitest';
import { loadConfig } from '../../src/core/config/load-config.ts';
import { socketListenOptions } from '../../src/serve/listen-options.ts';

test.each([
  [{}, 8081],
  [{ KEYSLOT_HTTP_PORT: '9000' }, 9001],
  [{ KEYSLOT_HTTP_PORT: '0' }, undefined],
  [{ KEYSLOT_HTTP_PORT: '65535' }, undefined],
  [{ KEYSLOT_HTTP_PORT: '0', KEYSLOT_WS_PORT: '0' }, 0],
  [{ KEYSLOT_WS_PORT: '9999' }, 9999],
  [{ KEYSLOT_WS_PORT: '8080' }, undefined],
])('with %o the second port of WebSocket is %s', (env, port) => {
  const options = socketListenOptions(loadConfig({ env }));
  expect(options?.port).toBe(port);
  if (options !== undefined) expect(options.portSetting).toContain('KEYSLOT_WS_PORT');
});
