/** The polynomial x⁸ + x⁴ + x³ + x² + 1, modulo which the field of QR codes multiplies. */
const FIELD = 0x11d;

/** Returns the product of two elements of GF(2⁸). */
export function multiply(left: number, right: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * FIELD);
    product ^= ((right >>> bit) & 1) * left;
  }
  return product;
}

/** Returns the error correction codewords of a block: the remainder of its data by the generator of this degree. */
export function errorCorrection(data: readonly number[], degree: number): readonly number[] {
  const generator = generatorOf(degree);
  const rest = new Array<number>(degree).fill(0);
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0);
    rest.push(0);
    for (const [index, coefficient] of generator.entries())
      rest[index] = (rest[index] ?? 0) ^ multiply(coefficient, factor);
  }
  return rest;
}

/** The coefficients of (x − α⁰)(x − α¹)…, from the second highest power down; the highest has 1. */
function generatorOf(degree: number): readonly number[] {
  const coefficients = new Array<number>(degree).fill(0);
  coefficients[degree - 1] = 1;
  let root = 1;
  for (let power = 0; power < degree; power += 1) {
    for (let index = 0; index < degree; index += 1) {
      const next = index + 1 < degree ? (coefficients[index + 1] ?? 0) : 0;
      coefficients[index] = multiply(coefficients[index] ?? 0, root) ^ next;
    }
    root = multiply(root, 2);
  }
  return coefficients;
}
