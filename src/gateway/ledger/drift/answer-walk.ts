import { copyText } from '../../../core/copy-text.ts';
import type { Finding, FindingKind } from './finding.ts';
import { printableName } from './printable-name.ts';
import { isMembers, type JsonType, jsonTypeOf, type Members, type SchemaForms } from './schema-forms.ts';
import { itemsOf, type SpecSchema } from './spec-schema.ts';

/** `hidden`: follows from an unknown word; `missing`: another version of a node may lack it. Neither is reported. */
type FaultKind = FindingKind | 'missing' | 'hidden';

/** The weight of each kind of fault against a branch. An unlisted word counts most, a new member least. */
const WEIGHTS: Readonly<Record<Exclude<FaultKind, 'hidden'>, number>> = {
  member: 1,
  version: 1,
  missing: 2,
  word: 3,
  type: 3,
  errorCode: 1,
  notification: 1,
};

type Fault = { readonly kind: FaultKind; readonly weight: number };

/** The faults of a value against a schema, each once by name, however often it occurs. */
class Faults {
  readonly #byName = new Map<string, Fault>();
  #weight = 0;

  /** The distance of the value from the schema. */
  get weight(): number {
    return this.#weight;
  }

  get findings(): readonly Finding[] {
    return [...this.#byName].flatMap(([name, { kind }]) =>
      kind === 'missing' || kind === 'hidden' ? [] : { kind, name },
    );
  }

  add(kind: keyof typeof WEIGHTS, name: string): void {
    this.#add(name, { kind, weight: WEIGHTS[kind] });
  }

  addAll(others: Faults): void {
    for (const [name, fault] of others.#byName) this.#add(name, fault);
  }

  hideAll(others: Faults): void {
    for (const [name, { weight }] of others.#byName) this.#add(`hidden ${name}`, { kind: 'hidden', weight });
  }

  #add(name: string, fault: Fault): void {
    if (this.#byName.size >= MAX_FAULTS || this.#byName.has(name)) return;
    this.#byName.set(name, fault);
    this.#weight += fault.weight;
  }
}

const TYPE_TEXTS: Readonly<Record<JsonType, string>> = {
  null: 'is null',
  boolean: 'is a boolean',
  number: 'is a number',
  string: 'is a string',
  array: 'is an array',
  object: 'is an object',
};

/** If an answer is wrong everywhere, a thousand names say no more than these. */
const MAX_FAULTS = 300;
/** Only schemas that refer to themselves are deeper. */
const MAX_DEPTH = 64;
const MAX_NAME_CHARACTERS = 200;

/** Checks one answer against its schema. */
export class AnswerWalk {
  readonly #forms: SchemaForms;
  readonly #path: string[];
  #faults = new Faults();

  /** `root`: the first part of every name. */
  constructor(forms: SchemaForms, root: string) {
    this.#forms = forms;
    this.#path = [root];
  }

  /** The findings so far. */
  get findings(): readonly Finding[] {
    return this.#faults.findings;
  }

  /** Checks a value against a schema; `steps` is the path to it from the current position. */
  walk(schema: SpecSchema, value: unknown, ...steps: readonly string[]): void {
    if (this.#path.length >= MAX_DEPTH) return;
    this.#path.push(...steps);
    const form = this.#forms.resolve(schema);
    if (form.anyOf === undefined) this.#walkForm(form, value, false);
    else this.#walkUnion(form, value);
    this.#path.length -= steps.length;
  }

  /** Records something at the current position that is not in the specification. */
  add(kind: keyof typeof WEIGHTS, detail: string): void {
    this.#faults.add(kind, copyText(`${this.#path.join('')}${detail}`.slice(0, MAX_NAME_CHARACTERS)));
  }

  /** Among the branches that fit best on their own level, walks the one that fits best further down. */
  #walkUnion(union: SpecSchema, value: unknown): void {
    const type = jsonTypeOf(value);
    const { forms, isTagged } = this.#forms.branches(union, type);
    const [only] = forms;
    if (only === undefined) this.#addType(type);
    else if (forms.length === 1) this.#walkForm(only, value, isTagged);
    else this.#walkBest(this.#nearest(forms, value), value, isTagged);
  }

  #walkBest(forms: readonly SpecSchema[], value: unknown, isTagged: boolean): void {
    const outer = this.#faults;
    let best: Faults | undefined;
    for (const form of forms) {
      this.#faults = new Faults();
      this.#walkForm(form, value, isTagged);
      if (best === undefined || this.#faults.weight < best.weight) best = this.#faults;
      if (best.weight === 0) break;
    }
    this.#faults = outer;
    if (best !== undefined) outer.addAll(best);
  }

  #nearest(forms: readonly SpecSchema[], value: unknown): readonly SpecSchema[] {
    const weights = forms.map((form) => this.#ownWeight(form, value));
    const least = Math.min(...weights);
    return forms.filter((_, index) => weights[index] === least);
  }

  /** Returns the distance of a value from a branch that accepts its JSON type, without looking into its parts. */
  #ownWeight(form: SpecSchema, value: unknown): number {
    if (isMembers(value)) return this.#ownWeightOfMembers(form, value);
    if (!Array.isArray(value)) return this.#isListed(form, value) ? 0 : WEIGHTS.word;
    const { tuple } = itemsOf(form);
    if (tuple === undefined) return 0;
    const wrong = tuple.filter((item, index) => !this.#couldBe(item, value[index])).length;
    return wrong * WEIGHTS.word + Math.abs(tuple.length - value.length) * WEIGHTS.missing;
  }

  #ownWeightOfMembers({ properties = {}, required = [], ...form }: SpecSchema, value: Members): number {
    let weight = 0;
    for (const name of required) if (!Object.hasOwn(value, name)) weight += WEIGHTS.missing;
    for (const name of Object.keys(value)) {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (schema === undefined) weight += form.additionalProperties === false ? WEIGHTS.member : 0;
      else if (!this.#couldBe(schema, value[name])) weight += WEIGHTS.word;
    }
    return weight;
  }

  #couldBe(schema: SpecSchema, value: unknown): boolean {
    return this.#forms.takes(schema, jsonTypeOf(value)) && this.#isListed(schema, value);
  }

  #isListed(schema: SpecSchema, value: unknown): boolean {
    return this.#forms.words(schema)?.has(value) ?? true;
  }

  /** `isTagged`: the form is a branch that its words distinguish from the others. */
  #walkForm(form: SpecSchema, value: unknown, isTagged: boolean): void {
    const type = jsonTypeOf(value);
    if (!this.#forms.takes(form, type)) this.#addType(type);
    else if (!this.#isListed(form, value)) this.#addWord(value);
    else if (Array.isArray(value)) this.#walkItems(form, value);
    else if (isMembers(value)) this.#walkMembers(form, value, isTagged);
    else if (typeof value === 'number') this.#walkNumber(form, value);
  }

  #walkNumber({ type, 'x-versions': versions }: SpecSchema, value: number): void {
    if (type === 'integer' && !Number.isInteger(value)) this.add('type', ' is a fraction');
    else if (versions !== undefined && !versions.includes(value)) this.add('version', ` ${value}`);
  }

  #walkItems(form: SpecSchema, values: readonly unknown[]): void {
    const { tuple = [], rest } = itemsOf(form);
    const count = tuple.length;
    tuple.forEach((item, index) => {
      if (index < values.length) this.walk(item, values[index], `[${index}]`);
      else this.add('missing', `[${index}]`);
    });
    if (rest === false && values.length > count) this.add('member', `[${count}]`);
    if (typeof rest !== 'object') return;
    for (const value of count === 0 ? values : values.slice(count)) this.walk(rest, value, '[]');
  }

  /**
   * Members next to an unknown word are unknown too: only the word of such an object is reported, the rest only helps to pick
   * the branch.
   */
  #walkMembers(form: SpecSchema, value: Members, isTagged: boolean): void {
    const { properties = {}, required = [] } = form;
    const tag = required.find((name) => this.#isOtherTag(properties[name], value[name], isTagged));
    if (tag === undefined) {
      this.#walkEach(form, value);
      return;
    }
    this.#path.push(`.${tag}`);
    this.#addWord(value[tag]);
    this.#path.length -= 1;
    const outer = this.#faults;
    this.#faults = new Faults();
    this.#walkEach(form, value);
    outer.hideAll(this.#faults);
    this.#faults = outer;
  }

  #walkEach(
    { properties = {}, required = [], additionalProperties: others }: SpecSchema,
    value: Members,
  ): void {
    for (const name of required) if (!Object.hasOwn(value, name)) this.add('missing', `.${name}`);
    for (const name of Object.keys(value)) {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (schema !== undefined) this.walk(schema, value[name], `.${name}`);
      else if (others === false) this.add('member', `.${printableName(name)}`);
      else if (typeof others === 'object') this.walk(others, value[name], '{}');
    }
  }

  /** A member with a single possible word identifies the object; in a branch, so does one with several. */
  #isOtherTag(schema: SpecSchema | undefined, value: unknown, isTagged: boolean): boolean {
    const words = schema && this.#forms.words(schema);
    if (words === undefined || typeof value !== 'string') return false;
    return (isTagged || words.size === 1) && !words.has(value);
  }

  #addType(type: JsonType): void {
    this.add('type', ` ${TYPE_TEXTS[type]}`);
  }

  #addWord(value: unknown): void {
    this.add('word', ` ${typeof value === 'string' ? printableName(value) : String(value)}`);
  }
}
