/** The version of the package that this page was built with, from pyproject.toml. */
declare const __APP_VERSION__: string;
