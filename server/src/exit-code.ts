/** Exit codes of the service, from sysexits.h. */
export const EXIT_FAILED = 70
export const EXIT_CONFIG = 78
