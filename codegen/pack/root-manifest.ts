type Versions = Readonly<Record<string, string>>;

/** What the packages take from the package.json of the project. */
export type RootManifest = {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Versions;
  readonly scarfSettings: Readonly<Record<string, unknown>>;
  readonly dependencies: Versions;
  readonly optionalDependencies: Versions;
};
