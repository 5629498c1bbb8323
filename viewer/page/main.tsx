import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../styles.css'
import './page.css'
import { refuseActiveMarkup } from './inert-markup.js'
import { Page } from './Page.js'

refuseActiveMarkup(window)

const root = document.getElementById('page')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  )
}
