import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

const LEVEL = 9;

/** Writes a compressed copy (`.gz` and `.br`) next to each built asset, because the server does not compress. */
export function prepareCompressed(): Plugin {
  let folder = '';
  return {
    name: 'prepare-compressed',
    configResolved: ({ build }) => {
      folder = join(build.outDir, build.assetsDir);
    },
    closeBundle: () => {
      for (const name of readdirSync(folder)) {
        const body = readFileSync(join(folder, name));
        writeFileSync(join(folder, `${name}.gz`), gzipSync(body, { level: LEVEL }));
        writeFileSync(
          join(folder, `${name}.br`),
          brotliCompressSync(body, {
            params: {
              [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
              [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
            },
          }),
        );
      }
    },
  };
}
