/** Everything that a stream gives. */
export async function readAll<T>(stream: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const value of stream) all.push(value);
  return all;
}
