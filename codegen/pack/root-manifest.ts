type Versions = Readonly<Record<string, string>>;

/** The members of the project's package.json that the packages copy. */
export type RootManifest = {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Versions;
  readonly optionalDependencies: Versions;
};
