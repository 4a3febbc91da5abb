/** Exit codes of sysexits.h, for every command that serves or maintains a deployment. */
export const EXIT_FAILED = 70
export const EXIT_CONFIG = 78
