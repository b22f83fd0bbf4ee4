import type { Call } from '../../rpc/call.ts';

const CLOSE_OBJECT = 0x7d;
const CLOSE_LIST = 0x5d;

/**
 * Returns the bytes of a call with `minContextSlot` in the config at `index` of its params; undefined if it has one already, or
 * the config has no place there. Everything else stays as it was received.
 */
export function addMinContextSlot(
  { raw, params, paramsAt }: Pick<Call, 'raw' | 'params' | 'paramsAt'>,
  index: number,
  slot: number,
): Buffer | undefined {
  const member = `"minContextSlot":${slot}`;
  if (paramsAt === undefined || params === null)
    return index === 0 && params === undefined ? addParams(raw, member) : undefined;
  if (!Array.isArray(params) || (params.length !== index && params.length !== index + 1)) return undefined;
  const end = raw.lastIndexOf(CLOSE_LIST, paramsAt.end - 1);
  if (params.length === index) return insert(raw, end, `${index === 0 ? '' : ','}{${member}}`);
  const config: unknown = params[index];
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return undefined;
  if ('minContextSlot' in config) return undefined;
  const isEmpty = Object.keys(config).length === 0;
  return insert(raw, raw.lastIndexOf(CLOSE_OBJECT, end), `${isEmpty ? '' : ','}${member}`);
}

function addParams(raw: Buffer, member: string): Buffer {
  return insert(raw, raw.lastIndexOf(CLOSE_OBJECT), `,"params":[{${member}}]`);
}

function insert(raw: Buffer, at: number, text: string): Buffer {
  return Buffer.concat([raw.subarray(0, at), Buffer.from(text), raw.subarray(at)]);
}
