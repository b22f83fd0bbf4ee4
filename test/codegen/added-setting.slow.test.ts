import { expect, it } from 'vitest';
import { readProcess, CONFIG_FILE } from '../../codegen/model/process.ts';
import type { JsonObject } from '../../codegen/json.ts';
import type { Sources } from '../../codegen/load.ts';
import { renderConfig } from '../../codegen/render/config.ts';
import { specSources } from './spec.ts';

const NEW_SETTING = { description: 'New.', type: 'integer', 'x-int': 'u32', minimum: 1, default: 5 };

const linesOf = (sources: Sources): readonly string[] =>
  renderConfig(readProcess(sources))['config-validator.js']?.split('\n') ?? [];

it('leaves the checks of all other settings as they were', () => {
  const sources = specSources();
  const config = structuredClone(sources.get(CONFIG_FILE)) as {
    properties: { http: { properties: JsonObject } };
  };
  const { http } = config.properties;
  http.properties = { new_setting: NEW_SETTING, ...http.properties };
  const after = new Set(linesOf(new Map(sources).set(CONFIG_FILE, config)));
  const gone = linesOf(sources).filter((line) => !after.has(line));
  expect(gone.map((line) => line.slice(0, 'const schemaHttp '.length))).toEqual(['const schemaHttp ']);
  expect([...after].some((line) => line.includes('"/new_setting"'))).toBe(true);
});
