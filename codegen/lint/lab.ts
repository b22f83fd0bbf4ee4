import { isJsonObject } from '../json.ts';
import type { Sources } from '../load.ts';
import { LAB_FILE } from '../model/process.ts';
import type { Schema } from '../model/schema.ts';
import type { Problem } from '../problem.ts';
import { partsOf } from './ledger/rule.ts';
import { checkPart } from './ledger/schemas.ts';
import { createShapeCheck } from './shape.ts';
import { SCHEMA_SHAPE } from './shapes.ts';

const checkShape = createShapeCheck(SCHEMA_SHAPE);

/** lab.yaml, where there is one: a schema as everywhere. */
export const lintLab = (sources: Sources): readonly Problem[] => {
  const lab = sources.get(LAB_FILE);
  if (!isJsonObject(lab)) return [];
  const shape = checkShape(LAB_FILE, lab);
  if (shape.length > 0) return shape;
  const schema = lab as unknown as Schema;
  return partsOf({ file: LAB_FILE, pointer: '', position: 'schema', schema }).flatMap(checkPart);
};
