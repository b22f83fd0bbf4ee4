import packageManifest from '../../package.json' with { type: 'json' };

/** The versions of Node on which the package is tested: of the oldest line that it runs on, and the pinned one. */
export const NODES = ['22.23.3', packageManifest.dependencies.node] as const;
