// Everything that would reach out to another host is off.
window.Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  telemetry: false,
  hideClientButton: true,
  defaultOpenAllTags: true,
  theme: 'default',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
})
